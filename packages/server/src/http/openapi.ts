import * as z from "zod";
import { FAILURE_STATUS, type FailureCode } from "./failure.ts";
import type { Operation } from "./router.ts";

const VERSION = "1.0.0";

const schemaOf = (schema: z.ZodType, io: "input" | "output"): unknown => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return json;
};

const json = (schema: unknown) => ({ "application/json": { schema } });
const EVENTS = { "text/event-stream": { schema: { type: "string" } } };

const failure = z.object({
  success: z.literal(false),
  error: z.object({
    code: z.string(),
    message: z.string(),
    requestId: z.string(),
    retryable: z.boolean(),
    conversationId: z.string().optional(),
    turnId: z.string().optional(),
  }),
});

/** Creates the OpenAPI 3.1 document that describes the operations. */
export function openApiDocument(operations: readonly Operation[]): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "JAF server", version: VERSION },
    paths,
    components: { schemas: { Failure: schemaOf(failure, "output") } },
  };
}

function describe(operation: Operation) {
  const { method, path, summary, query, body, isBodyOptional = false, accepted, nothing } = operation;
  const parameters = [...pathParameters(path), ...(query === undefined ? [] : queryParameters(query))];
  return {
    operationId: `${method}${path.replaceAll(/[^a-zA-Z]+(\w)?/g, (_, next: string = "") => next.toUpperCase())}`,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: !isBodyOptional, content: json(schemaOf(body, "input")) } }),
    responses: {
      "200": { description: "Success.", content: contentOf(operation) },
      ...(accepted === undefined
        ? {}
        : {
            "202": { description: "The turn runs in the background.", content: json(envelopeOf(accepted)) },
          }),
      ...(nothing === undefined ? {} : { "204": { description: nothing } }),
      ...failuresOf(operation),
    },
  };
}

const contentOf = ({ answer, file, streams }: Operation) => ({
  ...(answer === undefined ? {} : json(envelopeOf(answer))),
  ...(file === undefined ? {} : json(schemaOf(file, "output"))),
  ...(streams === undefined ? {} : EVENTS),
});

const ANY: readonly FailureCode[] = ["forbidden", "internal"];
const OF_USERS: readonly FailureCode[] = ["not-authenticated", "too-many-requests", "unavailable"];
const WITH_BODY: readonly FailureCode[] = ["invalid-request", "timeout", "too-large", "not-json"];

/** Returns an operation's failure responses by status. Each description lists the error codes with this status. */
function failuresOf({ path, query, body, failures = [] }: Operation) {
  const codes = new Set<FailureCode>([
    ...ANY,
    ...(path === "/health" ? [] : OF_USERS),
    ...(body === undefined ? [] : WITH_BODY),
    ...(query === undefined ? [] : ["invalid-request" as const]),
    // An id may be invalid or unknown.
    ...(path.includes("{") ? ["invalid-request" as const, "not-found" as const] : []),
    ...failures,
  ]);
  const byStatus = new Map<number, FailureCode[]>();
  for (const code of codes) {
    const status = FAILURE_STATUS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const content = json({ $ref: "#/components/schemas/Failure" });
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [status, { description: `${names.join(", ")}.`, content }]),
  );
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
  return Object.entries(properties).map(([name, schema]) => ({
    ...{ name, in: "query", required: false, schema },
    // The items of a list are separated by commas.
    ...((schema as { type?: unknown }).type === "array" ? { explode: false } : {}),
  }));
}
