// Swagger UI on the service's own OpenAPI document. "Authorize" sends the API key with the requests of the page.
import { startTheme } from "./theme.js";

/** What Swagger UI leaves without a name for screen readers, and its name. */
const NAMES = {
  "#servers": "Server",
  ".examples-select-element": "Example",
  ".content-type": "Media type",
  ".body-param__text": "Request body",
  ".copy-to-clipboard button": "Copy",
  ".close-modal": "Close",
};

/** Name the controls, let the keyboard scroll the code, and number the headings without gaps. */
function complete(root) {
  for (const [selector, name] of Object.entries(NAMES)) {
    for (const element of root.querySelectorAll(selector)) element.ariaLabel = name;
  }
  for (const table of root.querySelectorAll(".responses-table")) table.ariaLabel = table.id;
  for (const code of root.querySelectorAll(".microlight")) code.tabIndex = 0;
  for (const heading of root.querySelectorAll("h3, h4, h5, h6")) {
    heading.role = "heading";
    heading.ariaLevel = Math.min(heading.localName[1] - 1, 4); // Swagger UI leaves out h2, and h5 in dialogs
  }
}

/** The title of an operation is in a button, which may contain no link: the plain text, without the link. */
const plainTitles = ({ React }) => ({ components: { DeepLink: ({ text }) => React.createElement("span", null, text) } });

startTheme();
const root = document.getElementById("swagger-ui");
new MutationObserver(() => complete(root)).observe(root, { childList: true, subtree: true });
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null, // no badge from another host
  syntaxHighlight: false, // its colours have too little contrast
  plugins: [plainTitles],
});
