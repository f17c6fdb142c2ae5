import type { RichToolCall } from "@jaf/memory";
import { sha256 } from "@jaf/memory/digest";
import { calledTool } from "@jaf/memory/engine";

/** Identifies the reply that made the calls. */
export interface CallLocation {
  /** The id of the conversation, or of the run where nothing is stored. */
  readonly owner: string;
  readonly position: number;
  /** Random where something is stored, so that it differs for a later conversation with the same id. */
  readonly scope: string;
}

const digestOf = (...bound: readonly unknown[]): string => sha256(JSON.stringify(bound), "base64url");

/** A digest of a call at its location, whatever its arguments are parsed to. */
const callDigestOf = ({ owner, position, scope }: CallLocation, call: RichToolCall): string => {
  const { name, input } = calledTool(call);
  return digestOf(owner, position, scope, call.id, name, input);
};

/**
 * A digest of a call at its location with its parsed arguments, the same in every round. `text`: the arguments, as canonical
 * JSON.
 */
export const bindingOf = (location: CallLocation, call: RichToolCall, text: string): string =>
  digestOf(callDigestOf(location, call), text);

/** The beginning of a call's approval ids in this round. */
export const approvalIdPrefix = (location: CallLocation, call: RichToolCall, round: number): string =>
  `appr_${digestOf(callDigestOf(location, call), round)}.`;
