import { encodeWrite } from "../codec/encode.ts";
import { encodeRecord } from "../codec/record.ts";
import { createMemoryConnectionError } from "../errors.ts";
import type { MemoryProvider, WriteOptions } from "../provider.ts";
import { createFailure, type Result } from "../result.ts";
import type { VersionedMemoryProvider } from "../versioned-provider.ts";
import { keyedOptions } from "./keyed-options.ts";
import type { Operation } from "./options.ts";
import { versionedMethods } from "./versioned-methods.ts";

/** A write as its caller gave it. */
export type WriteRequest =
  | {
      readonly operation: "storeMessages" | "appendMessages";
      readonly args: Parameters<MemoryProvider["appendMessages"]>;
    }
  | {
      readonly operation: "importConversation";
      readonly args: Parameters<VersionedMemoryProvider["importConversation"]>;
    };

/** What is no record is for the provider to refuse. */
export const conversationIdOf = (request: WriteRequest): string =>
  request.operation === "importConversation" ? request.args[0]?.conversationId : request.args[0];

export const optionsOf = (request: WriteRequest): WriteOptions | undefined =>
  request.operation === "importConversation" ? request.args[1] : request.args[3];

function withOptions(request: WriteRequest, options: WriteOptions): WriteRequest {
  if (request.operation === "importConversation") return { ...request, args: [request.args[0], options] };
  const [conversationId, messages, metadata] = request.args;
  return { ...request, args: [conversationId, messages, metadata, options] };
}

/** The write under a key, its own or a new one, so that it is done once wherever it is sent again. */
export const withKey = (request: WriteRequest): WriteRequest =>
  withOptions(request, keyedOptions(optionsOf(request)));

/** What a write expects of the conversation. */
export type Expectations = Pick<WriteOptions, "expectedVersion" | "expectedIncarnation">;

/** The same write, with other expectations: they don't count when a key is compared. */
export function expecting(request: WriteRequest, expectations: Expectations): WriteRequest {
  const { expectedVersion, expectedMetadataVersion, expectedIncarnation, ...rest } = optionsOf(request) ?? {};
  return withOptions(request, { ...rest, ...expectations });
}

export const unsupported = async (operation: Operation) =>
  createFailure(
    createMemoryConnectionError(
      "primary",
      `and the fallback has no ${operation}: try again once it is back`,
      { operation },
    ),
  );

export const canSend = (store: MemoryProvider, { operation }: WriteRequest): boolean =>
  operation !== "importConversation" || versionedMethods(store).importConversation !== undefined;

export function sendWrite(store: MemoryProvider, request: WriteRequest): Promise<Result<void>> {
  if (request.operation !== "importConversation") return store[request.operation](...request.args);
  const method = versionedMethods(store).importConversation;
  return method === undefined ? unsupported("importConversation") : method(...request.args);
}

/** Whether every store of this project takes it, as far as that doesn't depend on what is stored. */
export function isValid(request: WriteRequest): boolean {
  if (request.operation === "importConversation") {
    const input = encodeRecord(...request.args);
    return input.ok && encodeWrite(input.value).ok;
  }
  const [conversationId, messages, metadata, options] = request.args;
  const mode = request.operation === "storeMessages" ? "replace" : "append";
  return encodeWrite({ mode, conversationId, messages, metadata, options }).ok;
}
