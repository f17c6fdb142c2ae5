import type { MemoryProvider } from "../provider.ts";
import { readFrom } from "../read-from.ts";
import { createSuccess, type Result } from "../result.ts";
import type { ConversationReading, ReadOptions } from "../versioned-provider.ts";
import { copyArgument, copyArguments } from "./argument-copy.ts";
import type { Routing } from "./failing-writes-routing.ts";
import { type VersionedMethods, versionedMethods } from "./versioned-methods.ts";
import { unsupported } from "./write-request.ts";

/** From whichever of the two is asked. */
async function readEither(
  provider: MemoryProvider,
  conversationId: string,
  options: ReadOptions | undefined,
): Promise<Result<ConversationReading>> {
  const read = await readFrom(provider, conversationId, options);
  if (!read.success) return read;
  // One that nothing has: a write that expects it is refused by every store that compares incarnations.
  const incarnation = read.data.incarnation ?? crypto.randomUUID();
  return createSuccess({ ...read.data, incarnation, readAt: read.data.readAt ?? new Date() });
}

/** What only some providers have, for as far as the primary has it. */
export function routeVersioned(primary: MemoryProvider, { read, write }: Routing): Partial<VersionedMethods> {
  const { readConversation, exportConversation, importConversation, verifyConversation } =
    versionedMethods(primary);
  return {
    ...(readConversation && {
      readConversation: (conversationId, options) => {
        const fixed = copyArgument(options);
        const call = { operation: "readConversation", conversationId } as const;
        return read(call, (store) => readEither(store, conversationId, fixed));
      },
    }),
    ...(exportConversation && {
      exportConversation: (conversationId) => {
        const call = { operation: "exportConversation", conversationId } as const;
        return read(call, (store) => {
          const method = versionedMethods(store).exportConversation;
          return method === undefined ? unsupported("exportConversation") : method(conversationId);
        });
      },
    }),
    ...(importConversation && {
      importConversation: (...given) =>
        write({ operation: "importConversation", args: copyArguments(given) }),
    }),
    // What the fallback holds says nothing of what the primary does.
    ...(verifyConversation && { verifyConversation }),
  };
}
