import type { Json, RecordedReply, Recording } from "../recording.ts";

const chunk = (choice: Json, further: Json = {}): Json => ({
  ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_790_000_000 },
  choices: [{ index: 0, ...choice }],
  ...further,
});

const said = { role: "assistant", content: "Hel" };

/** A stream that breaks off with the event. */
const brokenOff = (whole: Json, event: Json | string): RecordedReply => ({
  whole,
  events: [chunk({ delta: said }), event, "[DONE]"],
});

const failed = (
  service: string,
  name: string,
  {
    whole,
    event,
    ...recording
  }: { readonly whole: Json; readonly event: Json | string } & Pick<Recording, "documented" | "outcome">,
): Recording => ({
  ...{ feature: "stop reasons", name, service, model: "m" },
  replies: [brokenOff(whole, event)],
  ...recording,
});

const reported = (retryable: boolean) =>
  ({ status: "error", error: { _tag: "ModelCallError", retryable }, says: "reported an error" }) as const;

/** Failures that services report in fields of their own, also in the middle of a stream. */
export const failureRecordings: readonly Recording[] = [
  failed("Groq", "a stream that stopped early", {
    documented: "https://console.groq.com/docs/api-reference",
    whole: { error: { message: "Over capacity", type: "internal_server_error" } },
    event: chunk({ delta: {} }, { x_groq: { id: "req_1", error: "Over capacity" } }),
    outcome: reported(true),
  }),
  failed("DeepSeek", "a service without resources", {
    documented: "https://api-docs.deepseek.com/api/create-chat-completion",
    whole: { choices: [{ index: 0, message: said, finish_reason: "insufficient_system_resource" }] },
    event: chunk({ delta: {}, finish_reason: "insufficient_system_resource" }),
    outcome: reported(true),
  }),
  failed("GLM", "a network error of the model", {
    documented: "https://docs.z.ai/api-reference/llm/chat-completion",
    whole: { choices: [{ index: 0, message: said, finish_reason: "network_error" }] },
    event: chunk({ delta: {}, finish_reason: "network_error" }),
    outcome: reported(true),
  }),
  failed("MiniMax", "a status in the body", {
    documented: "https://platform.minimax.io/docs/api-reference/errorcode",
    whole: { choices: null, base_resp: { status_code: 1002, status_msg: "rate limit" } },
    event: { choices: null, base_resp: { status_code: 1002, status_msg: "rate limit" } },
    outcome: reported(true),
  }),
  failed("vLLM", "an error that is the whole body", {
    documented: "https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html",
    whole: { object: "error", message: "Too long", type: "BadRequestError", param: null, code: 400 },
    event: { object: "error", message: "Too long", type: "BadRequestError", param: null, code: 400 },
    outcome: reported(false),
  }),
  failed("Gemini", "an error in a list", {
    documented: "https://ai.google.dev/gemini-api/docs/troubleshooting",
    whole: [{ error: { code: 503, message: "Overloaded", status: "UNAVAILABLE" } }] as unknown as Json,
    event: '[{"error":{"code":503,"message":"Overloaded","status":"UNAVAILABLE"}}]',
    outcome: reported(true),
  }),
];
