// Faults of a request, shown beside the fields that they belong to.
import { byId, el } from "./dom.js";

/** Remove all faults from the page. */
export function clearFaults() {
  for (const node of document.querySelectorAll(".fault")) node.remove();
  for (const node of document.querySelectorAll("[aria-invalid]")) {
    node.removeAttribute("aria-invalid");
    const others = (node.getAttribute("aria-describedby") || "").split(" ").filter((id) => !id.endsWith("-fault"));
    if (others.join("")) node.setAttribute("aria-describedby", others.join(" "));
    else node.removeAttribute("aria-describedby");
  }
  byId("general-fault").hidden = true;
}

/** Show each fault of a problem below its field; what belongs to no field is shown above the form. */
export function showFaults(problem) {
  clearFaults();
  const general = [];
  for (const fault of problem.faults) {
    const place = placeOf(fault.pointer);
    if (place) mark(place, fault);
    else general.push(fault.detail);
  }
  if (!problem.faults.length) general.push(problem.message);
  if (general.length) {
    byId("general-fault").textContent = general.join(" ");
    byId("general-fault").hidden = false;
  }
}

/** Return the field of a pointer, or of the nearest part of the request around it. */
function placeOf(pointer) {
  for (let at = pointer; at; at = at.slice(0, at.lastIndexOf("/"))) {
    const place = [...document.querySelectorAll("#bid-form [data-pointer]")].find((node) => node.dataset.pointer === at);
    if (place) return place;
  }
  return null;
}

function mark(place, fault) {
  for (let around = place.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  const id = `${place.dataset.pointer.replaceAll("/", "-")}-fault`;
  const known = byId(id);
  if (known) {
    known.textContent += ` ${fault.detail}`;
    return;
  }
  place.append(el("p", { class: "fault", id, "data-code": fault.code, text: fault.detail }));
  const control = place.querySelector("input, select, textarea") || place;
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", [control.getAttribute("aria-describedby"), id].filter(Boolean).join(" "));
}
