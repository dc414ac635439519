// Swagger UI on the service's own OpenAPI document. "Authorize" sends the API key with the requests of the page.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null, // no badge from another host
});
