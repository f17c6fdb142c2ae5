import type { RichToolCall } from "@jaf/memory";
import { sha256 } from "@jaf/memory/digest";
import { calledTool } from "@jaf/memory/engine";

/** Which reply of which conversation made the calls. */
export interface CallPlace {
  /** The conversation; the run where nothing is stored. */
  readonly owner: string;
  readonly position: number;
  /** Random, where something is stored: so a conversation of the same id that is made anew is another. */
  readonly scope: string;
}

const digestOf = (...bound: readonly unknown[]): string => sha256(JSON.stringify(bound), "base64url");

/** The same for the same call in the same place, whatever its arguments are parsed to. */
export const callDigestOf = ({ owner, position, scope }: CallPlace, call: RichToolCall): string => {
  const { name, input } = calledTool(call);
  return digestOf(owner, position, scope, call.id, name, input);
};

/**
 * The same for the same call in the same place with the same parsed arguments, and for nothing else, however often it is
 * asked for. `text`: the arguments, encoded with sorted keys.
 */
export const bindingOf = (place: CallPlace, call: RichToolCall, text: string): string =>
  digestOf(callDigestOf(place, call), text);

/** What the approval ids of a call begin with that are asked for in this round. */
export const approvalIdPrefix = (place: CallPlace, call: RichToolCall, round: number): string =>
  `appr_${digestOf(callDigestOf(place, call), round)}.`;
