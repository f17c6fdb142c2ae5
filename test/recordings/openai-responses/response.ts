import { streamOf } from "../../fakes/openai-responses-stream.ts";
import type { JsonObject } from "../../fakes/service.ts";
import type { Json, RecordedReply } from "../recording.ts";

/** Fields of a response that repeat the request. No message keeps them. */
const ECHOED = {
  background: false,
  instructions: "You help.",
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: "low", summary: null },
  store: false,
  temperature: 1,
  text: { format: { type: "text" }, verbosity: "medium" },
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  truncation: "disabled",
  user: null,
};

/** A response with these output items in one piece, and the events of its stream. */
export function response(output: readonly Json[], further: Json = {}): RecordedReply {
  const body = {
    id: "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
    object: "response",
    created_at: 1_790_000_000,
    status: "completed",
    error: null,
    incomplete_details: null,
    ...ECHOED,
    ...further,
  };
  const events = streamOf(body as JsonObject, output as readonly JsonObject[]).map(({ data }) => data);
  return { whole: { ...body, output }, events };
}

export const said = (text: string, further: Json = {}): Json => ({
  id: "msg_67ccf18f64008190a39b619f4c8455ef087bb177ab789d5c",
  type: "message",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [], logprobs: [], ...further }],
});

export const thought = (id: string, further: Json = {}): Json => ({
  id: `rs_${id}`,
  type: "reasoning",
  summary: [],
  encrypted_content: `gAAAA+${id}`,
  ...further,
});

export const called = (call_id: string, name: string, args: Json, further: Json = {}): Json => ({
  id: `fc_${call_id}`,
  type: "function_call",
  status: "completed",
  call_id,
  name,
  arguments: JSON.stringify(args),
  ...further,
});

/** The agent's model settings for OpenAI. */
export const openai = (options: Json) => ({ modelConfig: { providerOptions: { openai: options } } });

export const guide = (name: string): string => `https://developers.openai.com/api/docs/guides/${name}`;
