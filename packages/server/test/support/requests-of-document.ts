import fc from "fast-check";

/** A request as it is sent: only `path` is certain to be well-formed. */
export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

const hostile = fc.constantFrom(
  ...[
    "",
    "*",
    "%",
    ":",
    "{}",
    "__proto__",
    "\u0000",
    "\ud800",
    "😀",
    "../health",
    "x".repeat(255),
    "x".repeat(256),
  ],
  ...["constructor", "null", "-1", "1e309", "9007199254740993", "' or 1=1 --", "\r\nset-cookie: a=b"],
);

const strings = fc.oneof(fc.string({ unit: "grapheme", maxLength: 40 }), hostile);

/** Values that a schema allows, mixed with some that it doesn't. */
function valuesOf(schema: unknown, known: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 12, arbitrary: allowedBy(isObject(schema) ? schema : {}, known) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    { weight: 1, arbitrary: strings },
  );
}

function allowedBy(schema: Json, known: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const { anyOf, const: only, enum: options, type, items, properties, required, minimum } = schema;
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((one) => valuesOf(one, known)));
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(options)) return fc.constantFrom(...options);
  switch (type) {
    case "string":
      return fc.oneof(strings, known);
    case "integer":
    case "number": {
      const least = typeof minimum === "number" ? minimum : -5;
      return fc.integer({ min: least, max: least + 6 });
    }
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valuesOf(items, known), { maxLength: 3 });
    case "object": {
      const fields = Object.entries(isObject(properties) ? properties : {});
      const values = fields.map(([name, value]) => [name, valuesOf(value, known)] as const);
      const names = Array.isArray(required) ? (required as string[]) : [];
      const given = fc.record(Object.fromEntries(values), { requiredKeys: names });
      return schema["additionalProperties"] === false
        ? given
        : fc
            .tuple(given, fc.dictionary(strings, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }))
            .map(([one, more]) => ({ ...more, ...one }));
    }
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** Ids in a path must be well-formed text; the rest of what is hostile stays. */
const inPath = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "\ufffd"));

const bodies = (schema: unknown, known: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 15, arbitrary: valuesOf(schema, known).map((value) => JSON.stringify(value) ?? "") },
    { weight: 1, arbitrary: strings },
  );

const headers = fc.record(
  {
    accept: fc.constantFrom("application/json", "text/event-stream", "*/*"),
    "last-event-id": fc.constantFrom("x:1", ":", "999999999999999999", "a:b:3", "x:-1"),
    "content-type": fc.constantFrom(
      "text/plain",
      "application/json; charset=utf-16",
      "application/x+json",
      "json",
    ),
  },
  { requiredKeys: [] },
);

/** Requests to the routes of an OpenAPI document. `known` are ids that exist. */
export function requestsOf(document: Json, known: readonly string[]): fc.Arbitrary<GeneratedRequest> {
  const ids = fc.constantFrom(...known);
  const paths = isObject(document["paths"]) ? document["paths"] : {};
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).map(([method, operation]) =>
      requestOf({ path, method, operation: isObject(operation) ? operation : {} }, ids),
    ),
  );
  return fc.oneof(...operations);
}

interface DocumentedOperation {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}

function requestOf({ path, method, operation }: DocumentedOperation, ids: fc.Arbitrary<string>) {
  const parameters = (operation["parameters"] ?? []) as readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: unknown;
  }[];
  const inside = parameters.filter((one) => one.in === "path").map(({ name }) => name);
  const pathValues = fc.tuple(
    ...inside.map(() => fc.oneof({ weight: 5, arbitrary: ids }, { weight: 2, arbitrary: strings })),
  );
  const query = parameters.filter((one) => one.in === "query");
  const queryValues = fc.record(
    Object.fromEntries(query.map(({ name, schema }) => [name, valuesOf(schema, ids)])),
    { requiredKeys: [] },
  );
  const content = isObject(operation["requestBody"]) ? operation["requestBody"]["content"] : undefined;
  const json = isObject(content) ? content["application/json"] : undefined;
  const body = isObject(json) ? bodies(json["schema"], ids) : fc.constant(undefined);
  return fc.tuple(pathValues, queryValues, body, headers).map(([values, asked, text, given]) => {
    const filled = inside.reduce(
      (whole, name, index) => whole.replace(`{${name}}`, () => inPath(values[index] ?? "")),
      path,
    );
    const search = Object.entries(asked).map(([name, value]) => `${name}=${inPath(String(value))}`);
    return {
      method: method.toUpperCase(),
      path: search.length === 0 ? filled : `${filled}?${search.join("&")}`,
      headers: given,
      ...(text === undefined ? {} : { body: text }),
    };
  });
}
