import type { ClientToolResult } from "@jaf/core";
import { toolPartsIn } from "@jaf/core/internal";
import type { Message } from "@jaf/memory";
import { historyTokenOf, isMediaPart, sameJson, validateContinuation } from "@jaf/memory/internal";
import * as z from "zod";
import { clientPart, type NamedFile, namedFiles, refusedFile } from "../http/client-content.ts";
import { HttpFailure } from "../http/failure.ts";
import { parseInput } from "../http/request-body.ts";
import type { ServerParts } from "../server-parts.ts";
import { ownConversation } from "./own-conversation.ts";

interface SentResult {
  readonly toolCallId: string;
  readonly result: string | Readonly<Record<string, unknown>>;
}

interface ReadResults {
  readonly toolResults: readonly ClientToolResult[] | undefined;
  /** The files that the results name. */
  readonly files: readonly NamedFile[];
}

/**
 * Returns the results of client tools, and the files that these results name. Throws an `HttpFailure` if a content part
 * in a result is invalid.
 */
export function readToolResults(sent: readonly SentResult[] | undefined): ReadResults {
  const read = sent?.map(({ toolCallId, result }, index) => {
    const held = toolPartsIn(result);
    // A result without parts needs no validation: the model gets it as text.
    if (held === undefined) return { toolResult: { toolCallId, result }, files: [] };
    const at = ["toolResults", index, "result", ...(Object.is(held, result) ? [] : ["data"]), "parts"];
    const parts = parseInput(z.array(clientPart), held.parts, "body", at);
    return { toolResult: { toolCallId, result: { parts } }, files: namedFiles(parts, at) };
  });
  return {
    toolResults: read?.map(({ toolResult }) => toolResult as ClientToolResult),
    files: read?.flatMap(({ files }) => files) ?? [],
  };
}

interface SentHistory {
  readonly conversationId?: string | undefined;
  readonly history?: readonly unknown[] | undefined;
  readonly historyToken?: string | undefined;
}

/** Throws an `HttpFailure` if the client's copy of the history names a file that the stored messages don't name. */
export async function checkAddedFiles(
  parts: ServerParts,
  { userId }: { readonly userId: string },
  { conversationId, history, historyToken }: SentHistory,
): Promise<void> {
  if (history === undefined || !history.some(namesFile)) return;
  const own =
    conversationId === undefined
      ? undefined
      : await ownConversation(parts, { conversationId, userId }, "all");
  const { messages = [], metadata } = own?.conversation ?? {};
  const verdict = validateContinuation(messages, history, {
    mode: "compatible",
    dropped: own?.firstPosition ?? 0,
    mayBeginLater: true,
    ...(historyToken === undefined
      ? {}
      : { historyToken: { sent: historyToken, expected: historyTokenOf(metadata) } }),
  });
  // The engine would refuse it, too, unless the conversation changes meanwhile.
  if (!verdict.ok) throw new HttpFailure("changed", verdict.reason);
  const added: readonly Message[] = [...verdict.toolResults, ...verdict.added];
  const naming = added.find(namesFile);
  if (naming === undefined) return;
  const index = history.findLastIndex((message) => sameJson(message, naming));
  const part = partsIn(naming).findIndex(isNamedFile);
  throw refusedFile(
    ["history", index, "content", part],
    "expected the bytes of a file; name others in message or toolResults",
  );
}

const contentSchema = z.looseObject({ content: z.array(z.unknown()) });

const partsIn = (message: unknown): readonly unknown[] =>
  contentSchema.safeParse(message).data?.content ?? [];

const namesFile = (message: unknown): boolean => partsIn(message).some(isNamedFile);

const typedSchema = z.looseObject({ type: z.string() });

/** Checks whether a content part is media that may be named by a URL or a file id, and not given as bytes. */
function isNamedFile(part: unknown): boolean {
  const typed = typedSchema.safeParse(part);
  if (!typed.success || !isMediaPart(typed.data)) return false;
  const read = clientPart.safeParse(part);
  // Not a `ClientPart`: the form of another framework, which may name a file in any field.
  return !read.success || namedFiles([read.data]).length > 0;
}
