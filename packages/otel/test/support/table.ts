/**
 * What the conventions ask for, by the kind of span, as they stand at `CONVENTIONS_COMMIT`, and what `@jaf/otel` gives.
 * A text in place of `true` says why an attribute is never given.
 */
interface SpanRow {
  readonly kind: "internal" | "client";
  readonly required: Given;
  readonly conditional: Given;
  readonly recommended: Given;
  readonly optIn: Given;
  /** Attributes that the conventions don't list for this span. */
  readonly added: readonly string[];
}

type Given = Readonly<Record<string, true | string>>;

const ADDRESS = {
  "server.address": "the HTTP span below has it",
};
const PORT = { "server.port": "the HTTP span below has it" };
const NO_PARAMETER = "JAF has no such setting";

export const TABLE = {
  invoke_agent: {
    kind: "internal",
    required: { "gen_ai.operation.name": true },
    conditional: {
      "error.type": true,
      "gen_ai.agent.name": true,
      "gen_ai.conversation.id": true,
      "gen_ai.agent.description": "agents have none",
      "gen_ai.data_source.id": NO_PARAMETER,
      "gen_ai.output.type": "the chat spans have it",
      "gen_ai.request.choice.count": NO_PARAMETER,
      "gen_ai.request.seed": NO_PARAMETER,
    },
    recommended: {
      "gen_ai.response.finish_reasons": true,
      "gen_ai.usage.input_tokens": true,
      "gen_ai.usage.output_tokens": true,
      "gen_ai.request.model": "a run can call several models; the chat spans have it",
      "gen_ai.request.max_tokens": "the chat spans have it",
      "gen_ai.request.temperature": "the chat spans have it",
      "gen_ai.request.top_p": "the chat spans have it",
      "gen_ai.request.stop_sequences": NO_PARAMETER,
      "gen_ai.request.frequency_penalty": NO_PARAMETER,
      "gen_ai.request.presence_penalty": NO_PARAMETER,
    },
    optIn: {
      "gen_ai.system_instructions": "the chat spans have it",
      "gen_ai.input.messages": "the chat spans have it",
      "gen_ai.output.messages": "the chat spans have it",
      "gen_ai.tool.definitions": "the chat spans have it",
    },
    added: [
      "jaf.run.id",
      "jaf.trace.id",
      "jaf.run.outcome",
      "jaf.run.replayed",
      "jaf.cost",
      "jaf.conflict.reason",
    ],
  },
  chat: {
    kind: "client",
    required: { "gen_ai.operation.name": true, "gen_ai.provider.name": true },
    conditional: {
      "error.type": true,
      "gen_ai.conversation.id": true,
      "gen_ai.output.type": true,
      "gen_ai.request.model": true,
      "gen_ai.request.stream": true,
      "gen_ai.prompt.name": NO_PARAMETER,
      "gen_ai.prompt.version": NO_PARAMETER,
      "gen_ai.request.choice.count": NO_PARAMETER,
      "gen_ai.request.seed": NO_PARAMETER,
      "gen_ai.request.top_k": NO_PARAMETER,
      ...PORT,
    },
    recommended: {
      "gen_ai.conversation.compacted": true,
      "gen_ai.request.max_tokens": true,
      "gen_ai.request.reasoning.level": true,
      "gen_ai.request.temperature": true,
      "gen_ai.request.top_p": true,
      "gen_ai.response.finish_reasons": true,
      "gen_ai.response.id": true,
      "gen_ai.response.model": true,
      "gen_ai.response.time_to_first_chunk": true,
      "gen_ai.usage.input_tokens": true,
      "gen_ai.usage.output_tokens": true,
      "gen_ai.usage.reasoning.output_tokens": true,
      "gen_ai.usage.cache_read.input_tokens": true,
      "gen_ai.usage.cache_write.input_tokens": true,
      "gen_ai.usage.{text,image,audio}.*": "model providers report no modalities",
      "gen_ai.request.previous_response.id": "JAF sends the whole conversation",
      "gen_ai.request.stop_sequences": NO_PARAMETER,
      "gen_ai.request.frequency_penalty": NO_PARAMETER,
      "gen_ai.request.presence_penalty": NO_PARAMETER,
      ...ADDRESS,
    },
    optIn: {
      "gen_ai.system_instructions": true,
      "gen_ai.input.messages": true,
      "gen_ai.output.messages": true,
      "gen_ai.tool.definitions": true,
      "gen_ai.prompt.variable": NO_PARAMETER,
    },
    added: ["gen_ai.agent.name", "jaf.attempts", "jaf.cost", "jaf.usage.estimated", "jaf.call.purpose"],
  },
  execute_tool: {
    kind: "internal",
    required: { "gen_ai.operation.name": true, "gen_ai.tool.name": true },
    conditional: { "error.type": true, "gen_ai.agent.name": true, "gen_ai.conversation.id": true },
    recommended: {
      "gen_ai.tool.call.id": true,
      "gen_ai.tool.type": true,
      "gen_ai.tool.description": "it is a part of the prompt",
    },
    optIn: { "gen_ai.tool.call.arguments": true, "gen_ai.tool.call.result": true },
    added: ["jaf.tool.status"],
  },
  memory: {
    kind: "internal",
    required: { "gen_ai.operation.name": true },
    conditional: {
      "error.type": true,
      "gen_ai.memory.record.id": true,
      "gen_ai.provider.name": "the store is the application's own",
      "gen_ai.memory.store.id": "the spans of the database have it",
      ...PORT,
    },
    recommended: { "gen_ai.memory.record.count": true, ...ADDRESS },
    optIn: { "gen_ai.memory.query.text": true, "gen_ai.memory.records": true },
    added: [],
  },
} as const satisfies Readonly<Record<string, SpanRow>>;

/** Returns the attributes of a level that are given. */
export const givenIn = (given: Given): readonly string[] =>
  Object.entries(given).flatMap(([name, is]) => (is === true ? [name] : []));

/** Returns all attributes that a span of this kind may have. */
export const allowedFor = (row: SpanRow, content: boolean): ReadonlySet<string> =>
  new Set([
    ...[row.required, row.conditional, row.recommended, ...(content ? [row.optIn] : [])].flatMap(givenIn),
    ...row.added,
  ]);
