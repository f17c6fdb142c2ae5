import { messageHash } from "../../../src/contract/backend.ts";
import { brokenBackend, readAll } from "./backend.ts";
import type { BrokenProvider } from "./broken.ts";

const CHANGE = "digests: change with the messages, and are returned by the write";

/** Backends with one plausible mistake each in the digests of their messages. */
export const brokenDigests: Readonly<Record<string, BrokenProvider>> = {
  "returns no receipts": brokenBackend(CHANGE, (intact) => ({
    write: async (write) => {
      const { status, ...rest } = await intact.write(write);
      return status === "written"
        ? { status }
        : ({ status, ...rest } as Awaited<ReturnType<typeof intact.write>>);
    },
  })),

  "forgets the digest of what it has trimmed": brokenBackend(
    "digests: are correct after any writes",
    (intact) => ({
      history: {
        algorithm: "sha256",
        read: async (request) => {
          const history = (await intact.history?.read(request)) ?? null;
          const { incarnation = "" } = (await readAll(intact, request.conversationId)) ?? {};
          return history && { ...history, base: incarnation };
        },
      },
    }),
  ),

  "makes its digests of the messages alone": brokenBackend(
    "digests: differ between conversations and between incarnations",
    (intact) => ({
      read: async (request) => {
        const read = await intact.read(request);
        if (read.conversation === null) return read;
        const historyDigest = messageHash(JSON.stringify(read.conversation.messages));
        return { ...read, conversation: { ...read.conversation, historyDigest } };
      },
    }),
  ),

  "makes another digest with each write of metadata": brokenBackend(
    "digests: stay with everything else",
    (intact) => ({
      read: async (request) => {
        const read = await intact.read(request);
        if (read.conversation === null) return read;
        const { historyDigest, metadataVersion } = read.conversation;
        return {
          ...read,
          conversation: { ...read.conversation, historyDigest: `${historyDigest}${metadataVersion}` },
        };
      },
    }),
  ),
};
