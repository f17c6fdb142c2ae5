import { runInNewContext } from "node:vm";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { scope, type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import * as z3 from "zod/v3";
import {
  approve,
  createAgentClient,
  createTool,
  fromStandardSchema,
  reject,
  run,
  type StandardSchema,
} from "../src/index.ts";
import { createScriptedModel } from "../src/testing/index.ts";
import { approvalOf } from "./support/interrupted.ts";
import { errorOf, says, setup } from "./support/setup.ts";
import { answerTo, resultOf } from "./support/tool-answers.ts";

/** The same parameters in both libraries. */
const libraries = [
  {
    library: "Valibot",
    parameters: toStandardJsonSchema(
      v.object({
        name: v.pipe(v.string(), v.minLength(2), v.description("A first name")),
        title: v.optional(v.string(), "Dr."),
        of: v.optional(v.object({ cities: v.array(v.string()) })),
      }),
    ),
  },
  {
    library: "ArkType",
    parameters: type({
      name: type("string >= 2").describe("A first name"),
      title: "string = 'Dr.'",
      "of?": { cities: "string[]" },
    }),
  },
] as const;

const anySchema = (validate: StandardSchema<{ id: string }>["~standard"]["validate"]) =>
  fromStandardSchema<StandardSchema<{ id: string }>>(
    { "~standard": { version: 1, vendor: "own", validate } },
    { jsonSchema: { type: "object" } },
  );

const tool = (parameters: StandardSchema, jsonSchema?: object) =>
  createTool({
    name: "find",
    description: "",
    parameters,
    ...(jsonSchema && { jsonSchema }),
    execute: (args) => JSON.stringify(args),
  });

const calling = (args: object) => ({ name: "find", arguments: args });
const written = (schema: z.ZodType) => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  return json;
};

describe.each(libraries)("parameters of $library", ({ parameters }) => {
  const greet = createTool({
    name: "greet",
    description: "",
    parameters,
    execute: ({ name, title, of }) => `${title} ${name} of ${of?.cities.length ?? 0}`,
  });

  it("parse the arguments, defaults applied", async () => {
    const args = { name: "Ada", of: { cities: ["Pune"] } };
    expect(await answerTo({ name: "greet", arguments: args }, greet)).toBe("Dr. Ada of 1");
  });

  it("answer arguments that don't match with the issues and their paths", async () => {
    const args = { name: "A", title: 5, of: { cities: [1] } };
    const { error } = await resultOf({ name: "greet", arguments: args }, greet);
    expect(error?.code).toBe("INVALID_INPUT");
    const issues = ["name", "title", "of.cities.0"].map((path) => ({
      path,
      code: "custom",
      message: expect.stringMatching(/\w/),
    }));
    expect(error?.details).toEqual({ issues: expect.arrayContaining(issues) });
  });

  it("are written as JSON Schema with descriptions", () => {
    expect(written(greet.schema.parameters)).toMatchObject({
      type: "object",
      properties: {
        name: { type: "string", minLength: 2, description: "A first name" },
        title: { type: "string" },
        of: { type: "object", properties: { cities: { type: "array", items: { type: "string" } } } },
      },
      required: ["name"],
    });
  });

  it("bind an approval to the parsed arguments", async () => {
    const paid: unknown[] = [];
    const pay = createTool({
      name: "greet",
      description: "",
      parameters,
      needsApproval: ({ name }) => name === "Ada",
      execute: (args) => {
        paid.push(args);
        return "paid";
      },
    });
    const config = (steps: Parameters<typeof createScriptedModel>[0]) =>
      setup({ model: steps, tools: [pay] }).config;
    const call = { toolCalls: [{ name: "greet", id: "g", arguments: { name: "Ada" } }] };
    const asked = await run(says("Pay"), config([call]));
    const shown = approvalOf(asked);
    expect(shown.args).toEqual({ name: "Ada", title: "Dr." });
    const decided = (decision: ReturnType<typeof approve>) =>
      run(asked.finalState, { ...config(["Done."]), resume: { approvals: [decision] } });
    expect((await decided(reject(shown))).outcome.status).toBe("completed");
    expect(paid).toEqual([]);
    expect((await decided(approve(shown))).outcome.status).toBe("completed");
    expect(paid).toEqual([{ name: "Ada", title: "Dr." }]);
  });
});

const outputs = [
  {
    library: "Valibot",
    codec: toStandardJsonSchema(v.object({ n: v.number(), to: v.object({ city: v.string() }) })),
  },
  { library: "ArkType", codec: type({ n: "number", to: { city: "string" } }) },
] as const;

describe.each(outputs)("an output of $library", ({ codec }) => {
  const good = '{"n":1,"to":{"city":"Pune"}}';

  it("is the decoded reply", async () => {
    const agent = { name: "helper", instructions: "", outputCodec: codec };
    const client = createAgentClient(agent, { modelProvider: createScriptedModel([good]), context: {} });
    expect((await client.prompt("Hi")).output?.to.city).toBe("Pune");
  });

  it("is corrected by the model, which gets the issues with their paths", async () => {
    const model = createScriptedModel(['{"n":"one","to":{}}', good]);
    const { config } = setup({ model, agent: { outputCodec: codec } });
    expect((await run(says("Hi"), config)).outcome).toEqual({
      status: "completed",
      output: JSON.parse(good),
    });
    expect(model.requests[1]?.state.messages.at(-1)?.content).toMatch(/- n: .*\n- to\.city: /);
  });

  it("is a DecodeError with zod's issues if it doesn't match", async () => {
    const { config } = setup({
      model: ['{"n":1,"to":{}}'],
      agent: { outputCodec: codec },
      config: { outputRepairs: 0 },
    });
    expect(errorOf(await run(says("Hi"), config))).toEqual({
      _tag: "DecodeError",
      errors: [{ code: "custom", path: ["to", "city"], message: expect.stringMatching(/\w/) }],
    });
  });

  it("is a zod schema for the model provider, the same in each call", async () => {
    const model = createScriptedModel(["no", good]);
    const { config } = setup({ model, agent: { outputCodec: codec } });
    await run(says("Hi"), config);
    const [first, second] = model.requests.map(({ agent }) => agent.outputCodec as z.ZodType);
    expect(second).toBe(first);
    expect(written(first as z.ZodType)).toMatchObject({ type: "object", required: ["n", "to"] });
  });
});

describe("a schema that writes no JSON Schema", () => {
  const plain = v.object({ id: v.string() });
  const jsonSchema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };

  it("is refused by createTool, which says what to do", () => {
    expect(() => tool(plain)).toThrow(TypeError);
    expect(() => tool(plain)).toThrow(
      /^Invalid parameters of tool "find": .*valibot.*toStandardJsonSchema.*jsonSchema/,
    );
  });

  it("is refused by createAgentClient and by runs as an outputCodec", async () => {
    const agent = { name: "helper", instructions: "", outputCodec: plain };
    const modelProvider = createScriptedModel([]);
    expect(() => createAgentClient(agent, { modelProvider, context: {} })).toThrow(
      /^Invalid agent: outputCodec: .*fromStandardSchema/,
    );
    const { config } = setup({ model: [], agent: { outputCodec: plain } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "InternalError",
      detail: expect.stringMatching(/^agent "helper": outputCodec: .*fromStandardSchema/),
    });
  });

  it("is accepted with a JSON Schema, which is unchanged for the model", async () => {
    const json = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "https://example.com/find",
      description: "Finds things",
      ...jsonSchema,
      $defs: { at: { type: "string", format: "date-time" } },
      default: { id: "1" },
      "x-order": ["id"],
    };
    const found = tool(plain, json);
    expect(z.toJSONSchema(found.schema.parameters, { io: "input" })).toEqual(json);
    expect(await answerTo(calling({ id: "1" }), found)).toBe('{"id":"1"}');
    const { config } = setup({
      model: ['{"id":"1"}'],
      agent: { outputCodec: fromStandardSchema(plain, { jsonSchema }) },
    });
    expect((await run(says("Hi"), config)).outcome).toEqual({ status: "completed", output: { id: "1" } });
  });

  it("is refused if its converter throws, with the reason", () => {
    const lower = toStandardJsonSchema(
      v.object({
        id: v.pipe(
          v.string(),
          v.check((id) => id === id.toLowerCase()),
        ),
      }),
    );
    expect(() => tool(lower)).toThrow(/"check" action.*jsonSchema/);
    expect(written(tool(lower, jsonSchema).schema.parameters)).toEqual(jsonSchema);
  });

  it("can be one of zod 3", async () => {
    const old = z3.object({ id: z3.string().default("7") });
    expect(() => tool(old)).toThrow(/zod.*jsonSchema/);
    expect(await answerTo(calling({}), tool(old, jsonSchema))).toBe('{"id":"7"}');
  });
});

describe("a schema", () => {
  it("of zod stays as it is", () => {
    const schema = z.object({ id: z.string() });
    expect(fromStandardSchema(schema)).toBe(schema);
    expect(tool(schema).schema.parameters).toBe(schema);
  });

  it("of zod can get another JSON Schema, and runs its checks once", async () => {
    let checks = 0;
    const schema = z.object({ id: z.string() }).refine(async () => {
      checks += 1;
      throw new Error("the registry of ids is down");
    });
    const jsonSchema = { type: "object", properties: { id: { enum: ["a", "b"] } } };
    const described = tool(schema, jsonSchema);
    expect(written(described.schema.parameters)).toEqual(jsonSchema);
    expect(await resultOf(calling({ id: "a" }), described)).toMatchObject({
      error: { code: "INVALID_INPUT", message: "the registry of ids is down" },
    });
    expect(checks).toBe(1);
    expect(await resultOf(calling({ id: 1 }), described)).toMatchObject({
      error: { details: { issues: [{ path: "id", code: "invalid_type" }] } },
    });
  });

  it("is converted once", () => {
    const schema = type({ id: "string" });
    expect(fromStandardSchema(schema)).toBe(fromStandardSchema(schema));
    expect(tool(schema).schema.parameters).toBe(fromStandardSchema(schema));
  });

  it("can refer to itself", async () => {
    const { node } = scope({ node: { id: "string", parts: "node[]" } }).export();
    const found = tool(node);
    const { $ref, $defs } = written(found.schema.parameters) as Record<string, Record<string, unknown>>;
    expect(Object.keys($defs ?? {})).toContain(String($ref).replace("#/$defs/", ""));
    const args = { id: "1", parts: [{ id: "2", parts: [] }] };
    expect(await answerTo(calling(args), found)).toBe(JSON.stringify(args));
  });

  it("can be asynchronous", async () => {
    const known = v.objectAsync({
      id: v.pipeAsync(
        v.string(),
        v.checkAsync(async (id) => id === "a", "unknown id"),
      ),
    });
    const found = tool(known, { type: "object" });
    expect(await answerTo(calling({ id: "a" }), found)).toBe('{"id":"a"}');
    expect(await resultOf(calling({ id: "b" }), found)).toMatchObject({
      error: { details: { issues: [{ path: "id", message: "unknown id" }] } },
    });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("a bug with password=hunter22");
      },
    ],
    ["rejects", () => Promise.reject(new Error("a bug with password=hunter22"))],
  ] as const)("that %s answers the call with its message, without secrets", async (_how, validate) => {
    const result = await resultOf(calling({}), tool(anySchema(validate)));
    expect(result).toMatchObject({ error: { code: "INVALID_INPUT", message: /^a bug/ } });
    expect(JSON.stringify(result)).not.toContain("hunter22");
    const { config } = setup({ model: ["{}"], agent: { outputCodec: anySchema(validate) } });
    expect(errorOf(await run(says("Hi"), config))).toMatchObject({
      _tag: "DecodeError",
      errors: [{ path: [], message: expect.stringContaining("threw") }],
    });
  });

  it("that returns a promise of another realm is awaited", async () => {
    const validate = runInNewContext("async () => ({ value: { id: 'a' } })");
    expect(await answerTo(calling({}), tool(anySchema(validate)))).toBe('{"id":"a"}');
  });

  it("can have symbols in the paths of its issues", async () => {
    const path = [Symbol("id"), { key: Symbol("of") }];
    const symbolic = anySchema(() => ({ issues: [{ message: "wrong", path }] }));
    expect(await resultOf(calling({}), tool(symbolic))).toMatchObject({
      error: { details: { issues: [{ path: "Symbol(id).Symbol(of)", message: "wrong" }] } },
    });
    const { config } = setup({ model: ["{}", "{}"], agent: { outputCodec: symbolic } });
    expect(errorOf(await run(says("Hi"), config))._tag).toBe("DecodeError");
  });

  it("that fails without an issue refuses the value", async () => {
    const refusing = tool(anySchema(() => ({ issues: [] })));
    expect(await resultOf(calling({}), refusing)).toMatchObject({
      error: { details: { issues: [{ path: "", message: "Invalid input" }] } },
    });
  });

  it.each([[undefined], [null], ["string"], [{ type: "object" }], [{ "~standard": {} }]])(
    "isn't %j",
    (given) => {
      expect(() => tool(given as never)).toThrow(
        /^Invalid parameters of tool "find": expected a schema of zod, or .*Standard Schema/,
      );
    },
  );
});
