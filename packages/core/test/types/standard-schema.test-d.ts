import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import {
  type Agent,
  type AgentClient,
  createAgentClient,
  createTool,
  fromStandardSchema,
  type ModelProvider,
  type PromptResult,
  type ResolvedAgent,
  type StandardSchema,
  type Tool,
} from "../../src/index.ts";

interface Session {
  readonly userId: string;
}
interface Found {
  query: string;
  limit: number;
  at: Date;
}

declare const modelProvider: ModelProvider<Session>;
declare const context: Session;

const valibot = toStandardJsonSchema(
  v.object({
    query: v.string(),
    limit: v.optional(v.number(), 10),
    at: v.pipe(
      v.string(),
      v.transform((text) => new Date(text)),
    ),
  }),
);
const arktype = type({ query: "string", limit: "number = 10", at: "string.date.parse" });

describe("createTool", () => {
  it("infers the arguments from a schema of Valibot, after defaults and transforms", () => {
    const tool = createTool({
      name: "search",
      description: "",
      parameters: valibot,
      needsApproval: ({ limit }) => limit > 100,
      execute: (args, { userId }: Session) => {
        expectTypeOf(args).toEqualTypeOf<Found>();
        return userId;
      },
    });
    expectTypeOf(tool).toEqualTypeOf<Tool<Found, Session>>();
  });

  it("infers the arguments from a schema of ArkType", () => {
    const tool = createTool({
      name: "search",
      description: "",
      parameters: arktype,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<Found>();
        return args.query;
      },
    });
    // biome-ignore lint/suspicious/noExplicitAny: the context that it works with
    expectTypeOf(tool).toEqualTypeOf<Tool<Found, any>>();
  });

  it("infers the arguments from an async schema with a JSON Schema", () => {
    createTool({
      name: "search",
      description: "",
      parameters: v.objectAsync({
        id: v.pipeAsync(
          v.string(),
          v.checkAsync(async (id) => id !== ""),
        ),
      }),
      jsonSchema: { type: "object", properties: { id: { type: "string" } } },
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ id: string }>();
        return args.id;
      },
    });
  });

  it("takes the context from the agent that has the tool", () => {
    const agent: Agent<Session, string> = {
      name: "agent",
      instructions: "",
      tools: [
        createTool({
          name: "who",
          description: "",
          parameters: arktype,
          execute: ({ query }, { userId }) => {
            expectTypeOf(userId).toEqualTypeOf<string>();
            return query;
          },
        }),
      ],
    };
    expectTypeOf(agent).toExtend<Agent<Session, string>>();
  });

  it("refuses anything but a schema", () => {
    // @ts-expect-error a JSON Schema isn't a schema that parses
    createTool({ name: "tool", description: "", parameters: { type: "object" }, execute: () => "" });
  });
});

describe("an outputCodec", () => {
  it("says the output of an agent client", () => {
    const settings = { modelProvider, context };
    const byValibot = createAgentClient({ name: "a", instructions: "", outputCodec: valibot }, settings);
    const byArkType = createAgentClient({ name: "a", instructions: "", outputCodec: arktype }, settings);
    const byZod = createAgentClient(
      { name: "a", instructions: "", outputCodec: z.object({ at: z.string().transform(Number) }) },
      settings,
    );
    expectTypeOf(byValibot).toEqualTypeOf<AgentClient<Found, Session>>();
    expectTypeOf(byArkType).toEqualTypeOf<AgentClient<Found, Session>>();
    expectTypeOf(byZod).toEqualTypeOf<AgentClient<{ at: number }, Session>>();
    expectTypeOf(byArkType.prompt).returns.resolves.toEqualTypeOf<PromptResult<Found>>();
  });

  it("must decode the agent's output", () => {
    const of = (outputCodec: StandardSchema<Found>): Agent<Session, Found> => ({
      name: "a",
      instructions: "",
      outputCodec,
    });
    of(arktype);
    of(fromStandardSchema(valibot));
    // @ts-expect-error another output
    of(type({ query: "string" }));
    // @ts-expect-error another output
    of(z.object({ query: z.string() }));
  });

  it("is a zod schema for the model provider", () => {
    expectTypeOf<ResolvedAgent<Session, Found>["outputCodec"]>().toEqualTypeOf<
      z.ZodType<Found> | undefined
    >();
    expectTypeOf(fromStandardSchema(arktype)).toEqualTypeOf<z.ZodType<Found>>();
  });
});

describe("a zod schema of any type", () => {
  it("is a StandardSchema of the same output", () => {
    const tools = <Out>(schema: z.ZodType<Out>): readonly [StandardSchema<Out>, z.ZodType<Out>] => [
      schema,
      fromStandardSchema(schema),
    ];
    expectTypeOf(tools<number>).returns.toEqualTypeOf<readonly [StandardSchema<number>, z.ZodType<number>]>();
  });
});
