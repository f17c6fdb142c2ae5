import { describe, expect, it } from "vitest";
import * as z from "zod";
import { validateArguments } from "../../src/tools/arguments.ts";
import { isSynchronous } from "../../src/tools/synchronous-schema.ts";

interface Node {
  readonly children: readonly Node[];
}
const Tree: z.ZodType<Node> = z.object({
  get children() {
    return z.array(Tree);
  },
});

const later = async () => true;

const synchronous = {
  object: z.object({ a: z.string().min(1).trim(), b: z.number().int().optional() }),
  strict: z.strictObject({ a: z.email().max(80), on: z.iso.date() }),
  nested: z.array(z.record(z.string(), z.tuple([z.literal("a"), z.enum(["b"])], z.bigint()))),
  union: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a") }),
    z.object({ kind: z.literal("b") }),
  ]),
  intersection: z.object({ a: z.string() }).and(z.looseObject({ b: z.date() })),
  defaults: z.object({ a: z.string().default("x"), b: z.coerce.number().prefault("1").readonly() }),
  recursive: Tree,
};

/** Of each, one that holds a function of the application's, which may be asynchronous. */
const unknown = {
  refine: z.object({ a: z.string().refine(later) }),
  refinedObject: z.object({ a: z.string() }).refine(later),
  superRefine: z.array(z.string().superRefine(async () => undefined)),
  check: z.string().check(async () => undefined),
  transform: z.tuple([z.string().transform(later)]),
  pipe: z.record(z.string(), z.string().transform(later).pipe(z.boolean())),
  preprocess: z.union([z.preprocess(later, z.string()), z.null()]),
  custom: z.object({}).catchall(z.custom(later)),
  format: z.stringFormat("mine", () => true),
  lazy: z.lazy(() => z.string()),
  promise: z.promise(z.string()),
  codec: z.codec(z.string(), z.number(), { decode: Number, encode: String }),
  rest: z.tuple([z.string()], z.string().refine(later)),
  key: z.record(z.string().refine(later), z.string()),
  right: z.object({}).and(z.object({}).refine(later)),
  inner: z.string().refine(later).optional().nullable().default("x").readonly(),
  property: z.object({ a: z.string() }).check(z.property("a", z.string().refine(later))),
};

describe("a schema", () => {
  it.each(Object.entries(synchronous))("of types of zod alone is synchronous: %s", (_name, schema) => {
    expect(isSynchronous(schema)).toBe(true);
    expect(isSynchronous(schema)).toBe(true);
  });

  it.each(Object.entries(unknown))("with a function of the application's isn't: %s", (_name, schema) => {
    expect(isSynchronous(schema)).toBe(false);
  });

  it("that makes others without end, or is none of zod's, isn't", () => {
    const endless = (): z.ZodType =>
      z.object({
        get next() {
          return endless();
        },
      });
    expect(isSynchronous(endless())).toBe(false);
    for (const foreign of [{}, { _zod: null }, { _zod: { def: { type: "map" } } }, null]) {
      if (foreign !== null) expect(isSynchronous(foreign as never)).toBe(false);
    }
  });
});

describe("arguments", () => {
  it("are parsed at once by a schema that is synchronous, and what is wrong is told", () => {
    const { object } = synchronous;
    expect(validateArguments(object, { a: " x " })).toEqual({ ok: true, args: { a: "x" } });
    expect(validateArguments(object, { a: 1 })).toMatchObject({
      ok: false,
      args: { a: 1 },
      problem: { error: { details: { issues: [{ path: "a", code: "invalid_type" }] } } },
    });
  });

  it("wait for refinements, whose rejection is an answer", async () => {
    const refuses = z.string().refine(async () => {
      throw new Error("no such order");
    });
    const parsing = validateArguments(refuses, "x");
    expect(parsing).toBeInstanceOf(Promise);
    expect(await parsing).toMatchObject({ ok: false, problem: { error: { message: "no such order" } } });
  });

  it("are refused where the schema itself throws", () => {
    const broken = z.object({
      get a(): z.ZodString {
        throw new Error("no schema");
      },
    });
    expect(validateArguments(broken, {})).toMatchObject({
      ok: false,
      problem: { error: { message: "no schema" } },
    });
  });
});
