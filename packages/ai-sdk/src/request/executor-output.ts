import type { JSONValue } from "@ai-sdk/provider";
import { fieldsOf, isObject, toolOutcome } from "@jaf/model-http";
import type { ToolOutput } from "./prompt.ts";

type Form = (text: string, isFailed: boolean) => JSONValue;

/** The outputs for a text, by the tool's id. The AI SDK sends no other outputs of these tools, and OpenAI wants one. */
const FORMS: Readonly<Record<string, Form>> = {
  "openai.local_shell": (output) => ({ output }),
  "openai.shell": (text, isFailed) => {
    const [stdout, stderr] = isFailed ? ["", text] : [text, ""];
    return { output: [{ stdout, stderr, outcome: { type: "exit", exitCode: isFailed ? 1 : 0 } }] };
  },
  "openai.apply_patch": (output, isFailed) => ({ status: isFailed ? "failed" : "completed", output }),
};

/**
 * Converts the result of a tool that supplies the executor of a provider's tool. The provider gets the JSON of the result,
 * without the `ToolResult` around it. A failed `ToolResult` is sent as a failure.
 */
export function executorOutput(text: string, id: string): ToolOutput {
  const { hasFailed: isFailed, data: value } = toolOutcome(text);
  const form = FORMS[id];
  if (form !== undefined && (isFailed || !("output" in fieldsOf(value)))) {
    return { type: "json", value: form(typeof value === "string" ? value : text, isFailed) };
  }
  if (isFailed) return { type: "error-text", value: text };
  // The engine wrote JSON.
  return isObject(value) || Array.isArray(value)
    ? { type: "json", value: value as JSONValue }
    : { type: "text", value: typeof value === "string" ? value : text };
}
