import { chatMemoryConfigSchema } from "@jaf/memory/turns";
import * as z from "zod";

/** A JSON Schema, checked when it is compiled. */
const jsonSchema = z.record(z.string(), z.unknown());

const text = z.string().min(1);

const toolSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "expected 1 to 64 letters, digits, _ or -"),
  description: text,
  parameters: jsonSchema.optional(),
  output: jsonSchema.optional(),
});

const outcomeSchema = z.strictObject({ condition: text, transition: text });

/** How many tools and outcomes a state may have. */
const MAX_ITEMS = 100;

const unique = (names: readonly string[]): boolean => new Set(names).size === names.length;

/** The fields of an agent state, as text 2 of the specification shows them. */
export const agentStateSchema = z.strictObject({
  name: text,
  type: z.literal("aiagent"),
  agentName: text,
  aiModel: text,
  systemMessage: z.string(),
  userMessage: text,
  output: jsonSchema.optional(),
  maxToolExecutions: z.int().min(0).optional(),
  memory: chatMemoryConfigSchema
    .refine(({ memoryId }) => memoryId !== undefined, {
      path: ["memoryId"],
      message: "expected the id of the conversation",
    })
    .optional(),
  tools: z
    .array(toolSchema)
    .max(MAX_ITEMS)
    .refine((tools) => unique(tools.map(({ name }) => name)), "expected tools with different names")
    .default([]),
  agentOutcomes: z.array(outcomeSchema).max(MAX_ITEMS).default([]),
});

export type AgentStateData = z.output<typeof agentStateSchema>;
