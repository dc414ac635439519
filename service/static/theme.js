// Dark and light: as the system says, until the user switches.
import { byId } from "./dom.js";

const KEPT = "spades-theme"; // in localStorage
const DARK = matchMedia("(prefers-color-scheme: dark)");

/** Show the theme that the user chose before, and let the button switch it. */
export function startTheme() {
  show(localStorage.getItem(KEPT) || (DARK.matches ? "dark" : "light"));
  DARK.addEventListener("change", () => localStorage.getItem(KEPT) || show(DARK.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem(KEPT, next);
    show(next);
  });
}

function show(theme) {
  document.documentElement.dataset.theme = theme;
  document.documentElement.classList.toggle("dark-mode", theme === "dark"); // for Swagger UI
  byId("theme").textContent = theme === "dark" ? "Light theme" : "Dark theme"; // what a click gives
}
