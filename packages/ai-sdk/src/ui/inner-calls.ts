import { type Fields, fieldsOf, textField } from "@jaf/model-http";
import type { ToolState } from "./ui-message.ts";

/** Whether `toolCallId` is a call of the agent that the call `outerId` runs, or of an agent within that agent. */
export const isCallWithin = (outerId: string, toolCallId: string): boolean =>
  toolCallId.startsWith(`${outerId}/`);

/** The output of a call that runs an agent, while a call of the agent waits. */
const WAITING = "waiting";

/** Returns the state of a call that runs an agent, while a call of the agent waits. */
// `sendAutomaticallyWhen` functions of the AI SDK send nothing until each call of the step has an output or an answer.
export const waitingState = ({ input }: { readonly input: unknown }): ToolState => ({
  state: "output-available",
  input,
  output: { type: WAITING },
});

/** Returns the parts without those that only show what agents wait for that run as tools. */
export function withoutInnerCalls(parts: readonly Fields[]): readonly Fields[] {
  const ids = new Set(parts.flatMap((part) => textField(part, "toolCallId") ?? []));
  const inner = new Map([...ids].map((id) => [id, outerIds(id).filter((outerId) => ids.has(outerId))]));
  const outer = new Set([...inner.values()].flat());
  return parts.flatMap((part) => {
    const id = textField(part, "toolCallId");
    if (id === undefined) return [part];
    if ((inner.get(id) ?? []).length > 0) return [];
    const isWaiting = fieldsOf(part["output"])["type"] === WAITING && outer.has(id);
    return [isWaiting ? { ...part, state: "input-available" } : part];
  });
}

/** Returns the ids of the calls that a call may be within, as {@link isCallWithin} finds it. */
function outerIds(id: string): string[] {
  const found: string[] = [];
  for (let end = id.indexOf("/"); end >= 0; end = id.indexOf("/", end + 1)) found.push(id.slice(0, end));
  return found;
}
