import type { Executions } from "./ledger.ts";
import type { Replayed } from "./replay.ts";
import type { Verification } from "./verify.ts";

const SHOWN_DIFFERENCES = 10;

const counted = (count: number, noun: string): string => `${count.toLocaleString("en-US")} ${noun}`;

export function describeVerification(verification: Verification): string {
  const { conversations, messages, differences, finished } = verification;
  const lines = differences.slice(0, SHOWN_DIFFERENCES).map((difference) => `  ${difference}`);
  if (differences.length > lines.length) lines.push(`  … and ${differences.length - lines.length} more`);
  if (!finished) lines.push("Stopped: not everything was compared.");
  const parts = [
    counted(conversations, "conversations"),
    counted(messages, "messages"),
    counted(differences.length, "differences"),
  ];
  return [parts.join(", "), ...lines].join("\n");
}

export function describeReplayed({ conversations, messages, alreadyStored, finished }: Replayed): string {
  const parts = [counted(conversations, "conversations"), counted(messages, "messages")];
  const before =
    alreadyStored === 0 ? "" : ` (${alreadyStored.toLocaleString("en-US")} of them stored before)`;
  const end = finished ? "" : "\nStopped. Stored messages are kept. Run the replay again to continue.";
  return `Replayed ${parts.join(", ")}${before}.${end}`;
}

export function describeExecutions(executions: Executions): string {
  const { calls, repeatedAfterFinish, repeatedAfterCrash } = executions;
  const crashed =
    repeatedAfterCrash === 0 ? "" : `, ${repeatedAfterCrash} ran again after a crash had cut them off`;
  const hint =
    repeatedAfterFinish === 0
      ? ""
      : "\n  (replay-executions.jsonl counts them: if you deleted the conversations beside it, delete it too)";
  return `${counted(calls, "tool calls")} executed, ${repeatedAfterFinish} again after they had finished${crashed}${hint}`;
}
