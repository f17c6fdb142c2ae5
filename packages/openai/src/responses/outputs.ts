import type { RichMessage } from "@jaf/memory";
import { messageText, present } from "@jaf/memory/internal";
import {
  approvalIn,
  type Fields,
  fieldsOf,
  isMedia,
  isObject,
  listOf,
  type ToolOutcome,
  toolOutcome,
} from "@jaf/model-http";
import { inputContent } from "../request/media.ts";
import { APPROVAL_REQUEST, CUSTOM_CALL, type InputItem } from "./items.ts";

/** Returns the items that answer a call: its output in the form of the call's kind. */
export function answerItems(call: InputItem, call_id: string, result: RichMessage): readonly InputItem[] {
  const { type, caller } = call;
  if (type === APPROVAL_REQUEST) {
    const { approved: approve, reason } = approvalIn(result);
    const answer = { type: "mcp_approval_response", approval_request_id: call["id"], approve };
    return [{ ...answer, ...present({ reason }) }];
  }
  const outcome = { ...toolOutcome(messageText(result)), content: result.content };
  const { type: outputType, ...fields } = outputOf(call, outcome);
  const output = { type: outputType, call_id, ...fields, ...present({ caller }) };
  // A screenshot can't say what went wrong.
  return type === "computer_call" && outcome.hasFailed
    ? [output, { role: "user", content: `The computer failed: ${outcome.text}` }]
    : [output];
}

/** What a tool returned, and the content of its result. */
interface Outcome extends ToolOutcome {
  readonly content: RichMessage["content"];
}

function outputOf(call: InputItem, outcome: Outcome): Fields {
  const { hasFailed, data, text, content } = outcome;
  const given = fieldsOf(data);
  switch (call["type"]) {
    case "shell_call": {
      const { max_output_length } = fieldsOf(call["action"]);
      return {
        type: "shell_call_output",
        output: shellOutputs(outcome),
        // The service refuses an output without the limit of its call.
        ...(typeof max_output_length === "number" ? { max_output_length } : {}),
      };
    }
    case "local_shell_call":
      return {
        type: "local_shell_call_output",
        output: typeof given["output"] === "string" ? given["output"] : text,
      };
    case "apply_patch_call": {
      const { status, output } = given;
      const type = "apply_patch_call_output";
      return status === "completed" || status === "failed"
        ? { type, status, ...present({ output }) }
        : { type, status: hasFailed ? "failed" : "completed", output: text };
    }
    case "computer_call":
      return computerOutput(call, outcome);
    case "tool_search_call":
      return {
        type: "tool_search_output",
        execution: "client",
        status: hasFailed ? "incomplete" : "completed",
        tools: Array.isArray(data) ? data : listOf(given["tools"]),
      };
    default: {
      const kind = call["type"] === CUSTOM_CALL ? "custom_tool" : "function";
      return { type: `${kind}_call_output`, output: inputContent(content) };
    }
  }
}

/** One output for each command, or the whole text as one. */
function shellOutputs({ hasFailed, data, text }: Outcome): readonly unknown[] {
  const { output = data } = fieldsOf(data);
  const outputs = Array.isArray(output) ? output : [output];
  const exit = { stdout: "", stderr: "", outcome: { type: "exit", exit_code: hasFailed ? 1 : 0 } };
  if (outputs.length > 0 && outputs.every((each) => isObject(each) && ("stdout" in each || "stderr" in each)))
    return outputs.map((each) => ({ ...exit, ...each }));
  return [hasFailed ? { ...exit, stderr: text } : { ...exit, stdout: text }];
}

/** A transparent pixel, since an output must be a screenshot. */
const BLANK =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** OpenAI goes on only if the safety checks of the call are acknowledged. A user has seen them: see `callOf`. */
function computerOutput(call: InputItem, { data, content }: Outcome): Fields {
  const parts = Array.isArray(content) ? content.filter(isMedia) : [];
  const [image] = listOf(inputContent(parts)).map(fieldsOf);
  const { image_url, file_id } = image ?? fieldsOf(data);
  const { acknowledged_safety_checks: acknowledged = call["pending_safety_checks"] } = fieldsOf(data);
  const shown = present({ image_url, file_id });
  return {
    type: "computer_call_output",
    output: {
      type: "computer_screenshot",
      ...(Object.keys(shown).length === 0 ? { image_url: BLANK } : shown),
    },
    ...(listOf(acknowledged).length === 0 ? {} : { acknowledged_safety_checks: acknowledged }),
  };
}
