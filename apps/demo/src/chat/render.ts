import { JAFErrorHandler, type Message, messageText, type RunResult, type TraceEvent } from "@jaf/core";
import type { Terminal } from "./terminal.ts";

const SHOWN_RESULT = 100;
const CUT_OFF = "The answer was cut off. What you said is kept; /retry finishes the answer.";
const CUT_OFF_IN_PRIVATE = "The answer was cut off.";

/** Replaces control characters, which could control the terminal. */
export const printable = (text: string): string => text.replaceAll(/(?![\n\t])\p{Cc}/gu, "\ufffd");

function shorten(text: string): string {
  const line = printable(text.replaceAll(/\s+/g, " ").trim());
  return line.length <= SHOWN_RESULT ? line : `${line.slice(0, SHOWN_RESULT - 1)}…`;
}

/** Prints the last `limit` messages of a reopened conversation. */
export function renderHistory(terminal: Terminal, messages: readonly Message[], limit = 20): void {
  const shown = messages.slice(-limit);
  if (shown.length < messages.length)
    terminal.print(terminal.dim(`… ${messages.length - shown.length} earlier messages`));
  for (const message of shown) {
    if (message.role === "user")
      terminal.print(`${terminal.bold("you:")} ${printable(messageText(message))}`);
    if (message.role === "tool") terminal.print(terminal.dim(`  ← ${shorten(messageText(message))}`));
    if (message.role !== "assistant") continue;
    if (messageText(message) !== "")
      terminal.print(`${terminal.bold("agent:")} ${printable(messageText(message))}`);
    for (const call of message.tool_calls ?? []) {
      terminal.print(terminal.dim(`  → ${call.function.name} ${shorten(call.function.arguments)}`));
    }
  }
}

/**
 * Prints a reply while it arrives: its text word by word, its tool calls when they start and end. `isPrivate`: the conversation
 * isn't stored.
 */
export function createReplyRenderer(terminal: Terminal, isPrivate: boolean) {
  let open = false;
  const endLine = () => {
    if (open) terminal.print();
    open = false;
  };

  function onEvent(event: TraceEvent): void {
    switch (event.type) {
      case "llm_delta":
        if (!open) terminal.write(`${terminal.bold("agent:")} `);
        open = true;
        terminal.write(printable(event.data.text));
        break;
      case "llm_retry":
        endLine();
        terminal.print(terminal.dim(`  the model call failed (${event.data.reason}); trying again …`));
        break;
      case "middleware_failed":
        endLine();
        terminal.print(
          terminal.dim(`  ${event.data.name} failed (${event.data.reason}); the reply continues without it.`),
        );
        break;
      case "tool_call_start":
        endLine();
        terminal.print(
          terminal.dim(`  → ${event.data.toolName} ${shorten(JSON.stringify(event.data.args))}`),
        );
        break;
      case "tool_call_end":
        terminal.print(terminal.dim(`  ← ${shorten(event.data.result)}`));
        break;
      default:
    }
  }

  /** Returns `false` if the reply failed. */
  function finish({ outcome }: RunResult<unknown>): boolean {
    endLine();
    if (outcome.status === "completed") return true;
    const { error } = outcome;
    const aborted = error._tag === "RunAborted";
    terminal.print(
      aborted ? terminal.dim(isPrivate ? CUT_OFF_IN_PRIVATE : CUT_OFF) : `! ${JAFErrorHandler.format(error)}`,
    );
    return aborted;
  }

  return { onEvent, finish };
}
