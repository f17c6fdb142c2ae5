import { CITY, cityCodec, ran, weather } from "../everyday.ts";
import type { Recording } from "../recording.ts";
import { answered, assistant, documentation, MODEL, recorded, text, use } from "./message.ts";

const thinking = { type: "thinking", thinking: "Where?", signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h" };
const hidden = { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix/LafPsn4a" };
const call = use("toolu_w1", "weather", CITY);

export const everyday: readonly Recording[] = [
  {
    feature: "structured output",
    name: "is decoded",
    documented: documentation("build-with-claude/structured-outputs"),
    model: MODEL,
    agent: { outputCodec: cityCodec },
    requested: { output_config: { format: { type: "json_schema" } } },
    replies: [recorded([text(JSON.stringify(CITY))])],
    outcome: { status: "completed", output: CITY },
  },
  {
    feature: "reasoning",
    name: "signed and redacted, before a call",
    documented: documentation("build-with-claude/extended-thinking"),
    model: MODEL,
    agent: { tools: [weather], modelConfig: { reasoningEffort: "low" } },
    requested: { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
    replies: [recorded([thinking, hidden, call]), recorded([text("Sun.")])],
    outcome: { status: "completed", output: "Sun." },
    ran,
    sentBack: [
      assistant(thinking, hidden, call),
      answered("toolu_w1", "Sun in Pune."),
      assistant(text("Sun.")),
    ],
  },
  {
    feature: "usage",
    name: "counts what was read from the cache and written to it",
    documented: documentation("build-with-claude/prompt-caching"),
    model: MODEL,
    replies: [
      recorded([text("Hello.")], {
        usage: {
          ...{ input_tokens: 3, cache_read_input_tokens: 1000, cache_creation_input_tokens: 200 },
          cache_creation: { ephemeral_5m_input_tokens: 150, ephemeral_1h_input_tokens: 50 },
          output_tokens: 9,
          service_tier: "standard",
        },
      }),
    ],
    outcome: { status: "completed", output: "Hello." },
    usage: [{ inputTokens: 1203, outputTokens: 9, cachedInputTokens: 1000, cacheWriteTokens: 200 }],
    sentBack: [assistant(text("Hello."))],
  },
];
