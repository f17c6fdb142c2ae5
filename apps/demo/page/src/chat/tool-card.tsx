import { partialOutput } from "@jaf/core/partial-output";
import type { ToolItem, WaitingCall } from "@jaf/server/client";
import { conversation } from "../models/app-models.ts";
import { durationOf } from "../ui/dates.ts";
import { Icon } from "../ui/icon.tsx";
import { isRejected, type WrittenCall } from "./entries.ts";

interface ToolCardProps {
  readonly tool: ToolItem;
  readonly running: boolean;
  /** Whether the turn was stopped before the call had a result. */
  readonly stopped: boolean;
  readonly waitsFor: WaitingCall | undefined;
  /** Whether a call of the agent that the tool runs waits for the user. */
  readonly innerAsks?: boolean;
}

const STATES: Readonly<Record<string, string>> = {
  called: "Next",
  running: "Running",
  waiting: "Not finished",
  success: "Done",
  error: "Failed",
  validation_error: "Failed",
  permission_denied: "Not allowed",
  not_found: "Not found",
};

/** A tool call: its arguments, its result, and the buttons for an approval. */
export function ToolCard({ tool, running, stopped, waitsFor, innerAsks = false }: ToolCardProps) {
  const { toolCallId, toolName, args, state, result, durationMs, starts } = tool;
  const asks = waitsFor?.type === "approval" && result === undefined && !running;
  const rejected = isRejected(state, result);
  const isWaiting = asks || (innerAsks && result === undefined && !running);
  const said = isWaiting
    ? "Waiting for you"
    : rejected
      ? "Rejected"
      : stopped && result === undefined
        ? "Stopped"
        : (STATES[state] ?? state);
  return (
    <article class={`tool ${asks ? "asks" : state}`} aria-label={`Tool ${toolName}: ${said}`}>
      <details open={asks}>
        <summary>
          <Icon name="tool" />
          <span class="tool-name">{toolName}</span>
          <span class="tool-args">{briefArgs(args)}</span>
          {starts > 1 && <span class="badge">started again</span>}
          <span class="badge state">
            {said}
            {durationMs !== undefined && !rejected && ` · ${durationOf(durationMs)}`}
          </span>
        </summary>
        <dl>
          <dt>Arguments</dt>
          <dd>
            <pre>{longArgs(args)}</pre>
          </dd>
          {result !== undefined && (
            <>
              <dt>Result</dt>
              <dd>
                <pre>{rejected ? "You rejected it: it didn't run." : resultText(result)}</pre>
              </dd>
            </>
          )}
        </dl>
      </details>
      {asks && (
        <div class="decision">
          <p>
            {toolCallId.includes("/") && `The agent ${waitsFor.agentName} asks. `}It runs only if you approve
            it, with exactly these arguments.
          </p>
          <button type="button" class="primary" onClick={() => void conversation.decide(waitsFor, true)}>
            Approve
          </button>
          <button type="button" class="quiet" onClick={() => void conversation.decide(waitsFor, false)}>
            Reject
          </button>
        </div>
      )}
    </article>
  );
}

interface WritingCardProps {
  readonly call: WrittenCall;
  readonly running: boolean;
}

/** A tool call that the model is writing, with its arguments so far. */
export function WritingCard({ call, running }: WritingCardProps) {
  const { toolName = "", arguments: text } = call;
  const said = running ? "Writing" : "Not finished";
  return (
    <article class="tool writing" aria-label={`Tool ${toolName}: ${said}`}>
      <details open>
        <summary>
          <Icon name="tool" />
          <span class="tool-name">{toolName}</span>
          <span class="tool-args" />
          <span class="badge state">{said}</span>
        </summary>
        <dl>
          <dt>Arguments</dt>
          <dd>
            <pre>{longArgs(partialOutput<unknown>(text) ?? text)}</pre>
          </dd>
        </dl>
      </details>
    </article>
  );
}

function parsed(args: unknown): unknown {
  if (typeof args !== "string") return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

const longArgs = (args: unknown): string => {
  const value = parsed(args);
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
};

function briefArgs(args: unknown): string {
  const value = parsed(args);
  if (typeof value !== "object" || value === null) return value === undefined ? "" : String(value);
  return Object.values(value)
    .map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one)))
    .join(", ");
}

/** A tool result is `{ status, data }`, unless the tool returns something else. */
function resultText(result: string): string {
  try {
    const value = JSON.parse(result) as {
      readonly data?: unknown;
      readonly error?: { readonly message?: unknown };
    };
    const told = value.data ?? value.error?.message;
    if (typeof told === "string") return told;
    return JSON.stringify(told ?? value, null, 2);
  } catch {
    return result;
  }
}
