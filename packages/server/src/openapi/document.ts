import * as z from "zod";
import { failureAnswer } from "../api/answers.ts";
import { type Operation, operations } from "./operations.ts";

const VERSION = "1.0.0";

const schemaOf = (schema: z.ZodType, io: "input" | "output"): unknown => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return json;
};

const json = (schema: unknown) => ({ "application/json": { schema } });
const EVENTS = { "text/event-stream": { schema: { type: "string" } } };

/** The routes of a server, as an OpenAPI 3.1 document. */
export function openApiDocument(): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "JAF server", version: VERSION },
    paths,
    components: { schemas: { Failure: schemaOf(failureAnswer, "output") } },
  };
}

function describe({ method, path, summary, query, body, answer, streams }: Operation) {
  const parameters = [...pathParameters(path), ...(query === undefined ? [] : queryParameters(query))];
  const content = {
    ...(answer === undefined ? {} : json(envelopeOf(answer))),
    ...(streams === true ? EVENTS : {}),
  };
  return {
    operationId: `${method}${path.replaceAll(/[^a-zA-Z]+(\w)?/g, (_, next: string = "") => next.toUpperCase())}`,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: json(schemaOf(body, "input")) } }),
    responses: {
      "200": { description: "Done.", content },
      default: { description: "A failure.", content: json({ $ref: "#/components/schemas/Failure" }) },
    },
  };
}

const envelopeOf = (answer: z.ZodType) => ({
  type: "object",
  properties: { success: { const: true }, data: schemaOf(answer, "output") },
  required: ["success", "data"],
});

const pathParameters = (path: string) =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({
    ...{ name, in: "path", required: true, schema: { type: "string" } },
  }));

function queryParameters(query: z.ZodObject) {
  const { properties = {} } = schemaOf(query, "output") as { properties?: Record<string, unknown> };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: "query", required: false, schema }));
}
