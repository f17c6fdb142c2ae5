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
  const ids = parts.flatMap((part) => textField(part, "toolCallId") ?? []);
  const isInner = (id: string) => ids.some((outerId) => isCallWithin(outerId, id));
  return parts.flatMap((part) => {
    const id = textField(part, "toolCallId");
    if (id === undefined) return [part];
    if (isInner(id)) return [];
    const isWaiting =
      fieldsOf(part["output"])["type"] === WAITING && ids.some((innerId) => isCallWithin(id, innerId));
    return [isWaiting ? { ...part, state: "input-available" } : part];
  });
}
