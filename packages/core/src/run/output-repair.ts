import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/internal";
import type * as z from "zod";
import type { RunProgress } from "../run-scope.ts";
import { holdsJson, isCodecFault } from "./output.ts";

const SHOWN_FAULTS = 20;

/**
 * Returns the faults that the agent's `outputCodec` found in the final reply; `undefined` if the model can't correct
 * any.
 */
export function repairableFaults<Ctx>({ outcome }: RunProgress<Ctx>): readonly z.ZodIssue[] | undefined {
  if (outcome?.status !== "error" || outcome.error._tag !== "DecodeError") return undefined;
  const { errors } = outcome.error;
  return isCodecFault(errors) ? undefined : errors;
}

/** Returns a user message that asks the model to correct its reply. */
export function repairRequest(reply: Message, faults: readonly z.ZodIssue[]): Message {
  const shown = faults
    .slice(0, SHOWN_FAULTS)
    .map(({ path, message }) => `- ${path.length === 0 ? "the whole" : path.join(".")}: ${message}`);
  const left = faults.length - shown.length;
  const lines = [
    "Your last reply is not the output that is expected:",
    ...(holdsJson(messageText(reply)) ? [] : ["- the whole: it is no JSON"]),
    ...shown,
    ...(left > 0 ? [`- and ${left} more`] : []),
    "Reply again with the whole output, corrected, and with nothing else: no explanation and no code fence.",
  ];
  return Object.freeze({ role: "user", content: lines.join("\n") });
}
