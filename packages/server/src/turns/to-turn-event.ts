import type { TraceEvent } from "@jaf/core";
import type { TurnEvent } from "./turn-event.ts";

/** What an event of a run is to the readers of its turn. `undefined`: nothing. */
export function toTurnEvent(event: TraceEvent): TurnEvent | undefined {
  switch (event.type) {
    case "llm_delta":
      return event.data.text === "" ? undefined : { type: "text", text: event.data.text };
    case "llm_reasoning_delta":
      return event.data.text === "" ? undefined : { type: "reasoning", text: event.data.text };
    case "llm_part":
      return { type: "part", part: event.data.part };
    case "llm_retry":
      return event.data.discardText ? { type: "retract", reason: "retry" } : undefined;
    case "llm_fallback":
      return event.data.discardText ? { type: "retract", reason: "fallback" } : undefined;
    case "llm_retract":
      return { type: "retract", reason: "guardrail" };
    case "assistant_message":
      return { type: "message", agentName: event.data.agentName, message: event.data.message };
    case "tool_call_start": {
      const { toolCallId = "", toolName, args } = event.data;
      return { type: "tool_start", toolCallId, toolName, args };
    }
    case "tool_call_end": {
      const { toolCallId, toolName, status, durationMs, result, parts } = event.data;
      return {
        ...{ type: "tool_end", toolCallId, toolName, status, durationMs, result },
        ...(parts === undefined ? {} : { parts }),
      };
    }
    case "interruption":
      return { type: "interruption", interruption: event.data.interruption };
    case "handoff":
      return { type: "handoff", from: event.data.from, to: event.data.to };
    case "context":
      return { type: "context", manifest: event.data };
    case "llm_call_end": {
      const { attempts: _, ...call } = event.data;
      return { type: "model_call", ...call };
    }
    default:
      return undefined;
  }
}
