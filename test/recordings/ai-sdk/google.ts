import type { Json, RecordedReply, Recording } from "../recording.ts";

const DOCS = "https://ai.google.dev/gemini-api/docs";

/** A response with these parts, streamed in one event each. */
function responseWith(parts: readonly Json[], fields: Json = {}): RecordedReply {
  const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 };
  const responseOf = (parts: readonly Json[], more: Json = {}) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    usageMetadata,
  });
  const end = { finishReason: "STOP", ...fields };
  return {
    whole: responseOf(parts, end),
    events:
      parts.length === 0
        ? [responseOf([], end)]
        : parts.map((part, at) => responseOf([part], at === parts.length - 1 ? end : {})),
  };
}

const groundingMetadata = {
  webSearchQueries: ["highest tower"],
  groundingChunks: [{ web: { uri: "https://towers.example/", title: "Towers" } }],
  groundingSupports: [
    // Bytes, after a letter of two bytes.
    { segment: { startIndex: 7, endIndex: 17, text: "very tall." }, groundingChunkIndices: [0] },
  ],
};

const code = { executableCode: { language: "PYTHON", code: "print(6 * 7)" } };
const ran = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "42" } };

const tools = (id: string) => ({ providerOptions: { google: { tools: [{ id }] } } });

export const googleRecordings: readonly Recording[] = [
  {
    feature: "sources",
    name: "with their places in the text",
    documented: `${DOCS}/google-search`,
    model: "gemini-3-pro",
    agent: { modelConfig: tools("google.google_search") },
    replies: [responseWith([{ text: "Höhe: very tall." }], { groundingMetadata })],
    requested: { tools: [{ googleSearch: {} }] },
    outcome: { status: "completed", output: "Höhe: very tall." },
    kept: [
      {
        content: [
          { type: "text", text: "Höhe: very tall." },
          {
            type: "source",
            sourceType: "url",
            url: "https://towers.example/",
            ranges: [{ start: 6, end: 16 }],
          },
        ],
      },
    ],
    sentBack: [{ role: "model", parts: [{ text: "Höhe: very tall." }] }],
  },
  {
    feature: "sources",
    name: "of a reply without a word",
    documented: `${DOCS}/google-search`,
    model: "gemini-3-pro",
    replies: [responseWith([], { groundingMetadata })],
    outcome: { status: "error", error: { _tag: "ModelBehaviorError" }, says: "empty" },
  },
  {
    feature: "code execution",
    name: "with its result",
    documented: `${DOCS}/code-execution`,
    model: "gemini-3-pro",
    agent: { modelConfig: tools("google.code_execution") },
    replies: [responseWith([code, ran, { text: "It is 42." }])],
    requested: { tools: [{ codeExecution: {} }] },
    outcome: { status: "completed", output: "It is 42." },
    kept: [
      {
        content: [
          { type: "provider-tool-call", name: "code_execution" },
          { type: "provider-tool-result", name: "code_execution" },
          { type: "text", text: "It is 42." },
        ],
      },
    ],
  },
  {
    feature: "code execution",
    name: "in the middle of a text, whose stream the AI SDK doesn't divide",
    documented: `${DOCS}/code-execution`,
    model: "gemini-3-pro",
    agent: { modelConfig: tools("google.code_execution") },
    replies: [
      responseWith([{ text: "Let me see. " }, code, ran, { text: "It is 42." }], { groundingMetadata }),
    ],
    outcome: { status: "completed", output: "Let me see. \nIt is 42." },
    kept: [
      {
        content: [
          { type: "text", text: "Let me see. " },
          { type: "provider-tool-call", name: "code_execution" },
          { type: "provider-tool-result", name: "code_execution" },
          { type: "text", text: "It is 42." },
          { type: "source", url: "https://towers.example/" },
        ],
      },
    ],
    // The AI SDK has no place for the code.
    sentBack: [{ role: "model", parts: [{ text: "Let me see. " }, { text: "It is 42." }] }],
  },
];
