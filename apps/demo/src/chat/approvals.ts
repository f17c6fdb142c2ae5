import { type ApprovalDecision, type ApprovalRequest, approve, type RunOutcome, reject } from "@jaf/core";
import { printable } from "./render.ts";
import type { Terminal } from "./terminal.ts";

/** Asks the user whether tools may run. */
export interface Approvals {
  /** Prints the calls that wait after a reply. Returns whether there are any. */
  readonly ask: (outcome: RunOutcome<unknown>) => boolean;
  readonly areWaited: () => boolean;
  /** The decisions that an answer means. Asks again and returns `undefined` if it is neither yes nor no. */
  readonly decide: (answer: string) => readonly ApprovalDecision[] | undefined;
  readonly forget: () => void;
}

const YES = /^(?:y|yes)[.!]?$/i;
const NO = /^(?:n|no)[.!]?$/i;

export function createApprovals(terminal: Terminal): Approvals {
  let waiting: readonly ApprovalRequest[] = [];
  const question = () => terminal.print("May the assistant do this? Say yes or no.");

  return {
    ask: (outcome) => {
      const interruptions = outcome.status === "interrupted" ? outcome.interruptions : [];
      waiting = interruptions.filter((interruption) => interruption.type === "approval");
      for (const { toolName, arguments: args } of waiting)
        terminal.print(`  ? ${toolName} ${printable(args)}`);
      if (waiting.length > 0) question();
      return waiting.length > 0;
    },
    areWaited: () => waiting.length > 0,
    decide: (answer) => {
      const [yes, no] = [YES.test(answer), NO.test(answer)];
      if (!yes && !no) {
        question();
        return undefined;
      }
      const decisions = waiting.map((interruption) => (yes ? approve(interruption) : reject(interruption)));
      waiting = [];
      return decisions;
    },
    forget: () => {
      waiting = [];
    },
  };
}
