import { halves } from "./anthropic-reply.ts";
import { textIn } from "./openai-responses-reply.ts";
import { isObject, type Json, type JsonObject, type StreamEvent } from "./service.ts";

export function streamOf(response: JsonObject, output: readonly JsonObject[]): readonly StreamEvent[] {
  const events: JsonObject[] = [
    { type: "response.created", response: { ...response, status: "in_progress", usage: null } },
    ...output.flatMap((item, output_index): readonly JsonObject[] => [
      { type: "response.output_item.added", output_index, item: beginningOf(item) },
      ...deltasOf(item).map((delta) => ({ ...delta, item_id: item["id"] ?? null, output_index })),
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: `response.${response["status"]}`, response: { ...response, output } },
  ];
  return events.map((data, sequence_number) => ({
    event: String(data["type"]),
    data: { ...data, sequence_number },
  }));
}

/** The part of an item that comes in one piece. */
function beginningOf(item: JsonObject): JsonObject {
  switch (item["type"]) {
    case "reasoning":
      return { ...item, summary: [] };
    case "message":
      return { ...item, status: "in_progress", content: [] };
    case "function_call":
      return { ...item, status: "in_progress", arguments: "" };
    case "custom_tool_call":
      return { ...item, status: "in_progress", input: "" };
    default:
      return { ...item, status: "in_progress" };
  }
}

function deltasOf(item: JsonObject): readonly JsonObject[] {
  switch (item["type"]) {
    case "reasoning":
      return thoughtDeltas(item);
    case "message": {
      const content = Array.isArray(item["content"]) ? item["content"] : [];
      return content.flatMap((part: Json, content_index) => saidDeltas(part, content_index));
    }
    case "custom_tool_call":
      return [
        ...halves(String(item["input"])).map((delta) => ({
          type: "response.custom_tool_call_input.delta",
          delta,
        })),
        { type: "response.custom_tool_call_input.done", input: item["input"] ?? "" },
      ];
    case "function_call":
      return [
        ...halves(String(item["arguments"])).map((delta) => ({
          type: "response.function_call_arguments.delta",
          delta,
        })),
        { type: "response.function_call_arguments.done", arguments: item["arguments"] ?? "" },
      ];
    default:
      return [];
  }
}

function thoughtDeltas(item: JsonObject): readonly JsonObject[] {
  const summary = Array.isArray(item["summary"]) ? item["summary"] : [];
  const content = Array.isArray(item["content"]) ? item["content"] : [];
  return [
    ...summary.flatMap((part: Json, summary_index): readonly JsonObject[] => {
      const text = isObject(part) ? String(part["text"]) : "";
      return [
        {
          type: "response.reasoning_summary_part.added",
          summary_index,
          part: { type: "summary_text", text: "" },
        },
        ...halves(text).map((delta) => ({
          type: "response.reasoning_summary_text.delta",
          summary_index,
          delta,
        })),
        {
          type: "response.reasoning_summary_part.done",
          summary_index,
          part: { type: "summary_text", text },
        },
      ];
    }),
    ...content.flatMap((part: Json, content_index) =>
      halves(textIn([part])).map((delta) => ({
        type: "response.reasoning_text.delta",
        content_index,
        delta,
      })),
    ),
  ];
}

function saidDeltas(part: Json, content_index: number): readonly JsonObject[] {
  if (!isObject(part)) return [];
  const kind = part["type"] === "refusal" ? "refusal" : "output_text";
  const empty = kind === "refusal" ? { ...part, refusal: "" } : { ...part, text: "", annotations: [] };
  return [
    { type: "response.content_part.added", content_index, part: empty },
    ...halves(textIn([part])).map((delta) => ({ type: `response.${kind}.delta`, content_index, delta })),
    { type: "response.content_part.done", content_index, part },
  ];
}
