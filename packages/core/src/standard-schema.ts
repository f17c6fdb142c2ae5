import * as z from "zod";

/**
 * A schema of any library that follows Standard Schema (https://standardschema.dev), e.g. zod, Valibot or ArkType.
 * `Out`: the type of the parsed values.
 */
export interface StandardSchema<Out = unknown> {
  readonly "~standard": {
    readonly version: 1;
    /** The name of the library. */
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Out> | Promise<Validated<Out>>;
    readonly types?: { readonly input: unknown; readonly output: Out } | undefined;
    /** Writes the schema as JSON Schema, which models get. Can throw. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: "draft-2020-12" }) => object }
      | undefined;
  };
}

type Validated<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of the values that a schema has parsed. */
export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/**
 * Returns a zod schema that parses with another library's schema. Use it for an `outputCodec` whose library writes no
 * JSON Schema; `createTool` and `Agent.outputCodec` accept all other schemas directly. A zod schema is returned
 * unchanged, unless `jsonSchema` is passed.
 *
 * `options.jsonSchema`: the JSON Schema (draft 2020-12) of the values that the model writes. Default: as the schema
 * writes it.
 *
 * The issues have the library's messages. Some of them quote the invalid value (e.g. Valibot's).
 *
 * Throws a `TypeError` if the schema doesn't follow Standard Schema, or if it can't write a JSON Schema and none is
 * passed.
 *
 * @example
 * ```ts
 * import { type Agent, fromStandardSchema } from "@jaf/core";
 * import * as v from "valibot";
 *
 * const word = v.object({ word: v.pipe(v.string(), v.check((text) => text === text.toLowerCase())) });
 *
 * export const agent: Agent<unknown, { word: string }> = {
 *   name: "words",
 *   instructions: "Reply with a word in lower case.",
 *   outputCodec: fromStandardSchema(word, {
 *     jsonSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
 *   }),
 * };
 * ```
 */
export const fromStandardSchema = <Schema extends StandardSchema>(
  schema: Schema,
  options: { readonly jsonSchema?: object | undefined } = {},
): z.ZodType<SchemaOutput<Schema>> => zodSchemaOf(schema, "Invalid schema", options.jsonSchema);

/** The zod schema of each schema of another library. */
const converted = new WeakMap<StandardSchema, z.ZodType>();

/**
 * Does the same as {@link fromStandardSchema}. Calls with the same schema return the same zod schema, unless
 * `jsonSchema` is passed. The `TypeError`'s message begins with `where`.
 */
export function zodSchemaOf<Schema extends StandardSchema>(
  schema: Schema,
  where: string,
  jsonSchema?: object,
): z.ZodType<SchemaOutput<Schema>>;
export function zodSchemaOf(schema: StandardSchema, where: string, jsonSchema?: object): z.ZodType {
  if (jsonSchema !== undefined) return toZod(checked(schema, where), jsonSchema);
  if (isZod(schema)) return schema;
  const known = converted.get(schema);
  if (known !== undefined) return known;
  const made = toZod(checked(schema, where), writtenBy(schema, where));
  converted.set(schema, made);
  return made;
}

const isZod = (schema: StandardSchema): schema is z.ZodType => "_zod" in Object(schema);

function checked<Schema extends StandardSchema>(schema: Schema, where: string): Schema {
  const given: Partial<StandardSchema> | null | undefined = schema;
  if (typeof given?.["~standard"]?.validate === "function") return schema;
  throw new TypeError(
    `${where}: expected a schema of zod, or of a library that follows Standard Schema (e.g. Valibot, ArkType).`,
  );
}

function writtenBy({ "~standard": { vendor, jsonSchema } }: StandardSchema, where: string): object {
  const remedy = "pass one as jsonSchema to createTool, or for an outputCodec to fromStandardSchema";
  if (jsonSchema === undefined) {
    const converters = `wrap the schema (Valibot: toStandardJsonSchema of @valibot/to-json-schema), or ${remedy}`;
    throw new TypeError(
      `${where}: this schema of ${vendor} writes no JSON Schema for the model; ${converters}.`,
    );
  }
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "it threw";
    throw new TypeError(`${where}: ${vendor} can't write the schema as JSON Schema (${why}); ${remedy}.`, {
      cause,
    });
  }
}

function toZod(schema: StandardSchema, jsonSchema: object): z.ZodType {
  // zod's own `validate` would run asynchronous checks twice.
  const parsing = isZod(schema) ? z.unknown().pipe(schema) : z.unknown().check(checkOf(schema));
  // zod has a use of its own for `id`.
  const { $schema: _, id: __, ...written }: Record<string, unknown> = { ...jsonSchema };
  // zod adds the metadata to the JSON Schema that it generates, which is empty here.
  return parsing.meta(written);
}

const checkOf =
  ({ "~standard": standard }: StandardSchema): z.core.CheckFn<unknown> =>
  (payload) => {
    const take = (result: Validated<unknown>): void => {
      if (result.issues) payload.issues.push(...issuesOf(result.issues, payload.value));
      else payload.value = result.value;
    };
    const result = standard.validate(payload.value);
    // Promises of another realm aren't instances of `Promise`, and zod awaits only instances.
    return "then" in result ? Promise.resolve(result).then(take) : take(result);
  };

/** Returns zod's issues. A failure without issues gets one, because zod would accept the value otherwise. */
function issuesOf(issues: readonly Issue[], input: unknown) {
  const found: readonly Issue[] = issues.length > 0 ? issues : [{ message: "Invalid input" }];
  return found.map(({ message, path = [] }) => ({
    code: "custom" as const,
    message,
    path: Array.from(path, (step) => textOrIndex(typeof step === "object" ? step.key : step)),
    input,
  }));
}

/** Symbols can't be joined to a text. */
const textOrIndex = (key: PropertyKey): string | number => (typeof key === "symbol" ? String(key) : key);
