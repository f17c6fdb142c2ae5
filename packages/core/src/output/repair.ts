import type { Message } from "@jaf/memory";
import { messageText } from "@jaf/memory/engine";
import type * as z from "zod";
import type { Step } from "../step.ts";
import { holdsJson, isCodecFault } from "./decode.ts";

const SHOWN_FAULTS = 20;

/** What is wrong with the reply that a run was to end with, where the model may do better. */
export function repairableFaults<Ctx>({ outcome }: Step<Ctx>): readonly z.ZodIssue[] | undefined {
  if (outcome?.status !== "error" || outcome.error._tag !== "DecodeError") return undefined;
  const { errors } = outcome.error;
  return isCodecFault(errors) ? undefined : errors;
}

/** The request to correct a reply, as a user message that isn't part of the conversation. */
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
