// Shows /openapi.json with Swagger UI. No validator badge: it would ask another server.
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#swagger", deepLinking: true, validatorUrl: null });
