import type { MemoryProvider, Message } from "@jaf/memory";
import { Failure } from "../exit.ts";

interface Sample {
  readonly name: string;
  readonly title: string;
  readonly messages: readonly Message[];
}

const said = (content: string): Message => ({ role: "user", content });
const replied = (content: string): Message => ({ role: "assistant", content });
const called = (id: string, name: string, args: object): Message => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
});
const returned = (id: string, data: string): Message => ({
  role: "tool",
  tool_call_id: id,
  content: JSON.stringify({ status: "success", data }),
});

const SAMPLES: readonly Sample[] = [
  {
    name: "balcony",
    title: "Plants for a shady balcony",
    messages: [
      said("My balcony faces north. Which plants would like it there?"),
      replied(
        "North is fine for more plants than one thinks:\n\n| plant | light | water |\n| --- | --- | --- |\n| fern | shade | often |\n| hosta | half shade | weekly |\n| ivy | any | seldom |\n\n**Ivy** is the one that forgives most.",
      ),
      said("How many pots of 30 cm fit on 2.4 m?"),
      called("call_2_0", "calculator", { expression: "240 / 30" }),
      returned("call_2_0", "240 / 30 = 8"),
      replied("240 / 30 = 8, so eight, without a gap between them. I would take six."),
    ],
  },
  {
    name: "trip",
    title: "A weekend in Lisbon",
    messages: [
      said("What time is it in Lisbon when it is noon in Berlin?"),
      replied("Lisbon is one hour behind Berlin, all year: **11:00**."),
      said("Note: book the tram tour for Saturday"),
      called("call_2_0", "notes", { action: "add", text: "book the tram tour for Saturday" }),
      returned("call_2_0", "Noted: book the tram tour for Saturday"),
      replied("Noted: book the tram tour for Saturday"),
    ],
  },
  {
    name: "reading",
    title: "How to read a long book",
    messages: [
      said("How do I get through a long book without losing the thread?"),
      replied(
        "Three habits help:\n\n1. Read at the same time each day, if only ten pages.\n2. After each chapter say in *one sentence* what has changed.\n3. Stop in the middle of a scene: it is easier to go on.\n\n> A book is a machine to think with.",
      ),
      said("And if I have forgotten who someone is?"),
      replied("Then read on. If it matters, the book will tell you again; if not, you have lost nothing."),
    ],
  },
];

const idOf = (userId: string, { name }: Sample): string => `sample-${name}-${userId}`;

export interface Samples {
  /** The ids of the stored samples. */
  readonly list: (userId: string) => Promise<readonly string[]>;
  readonly load: (userId: string) => Promise<void>;
  readonly remove: (userId: string) => Promise<void>;
}

/** Creates short sample conversations. */
export function createSamples(provider: MemoryProvider): Samples {
  const list = async (userId: string) => {
    const ids: string[] = [];
    for (const sample of SAMPLES) {
      const got = await provider.getConversation(idOf(userId, sample));
      if (!got.success) throw new Failure(got.error.message);
      if (got.data !== null) ids.push(idOf(userId, sample));
    }
    return ids;
  };
  return {
    list,
    load: async (userId) => {
      const there = await list(userId);
      for (const sample of SAMPLES) {
        const id = idOf(userId, sample);
        if (there.includes(id)) continue;
        const { title, messages } = sample;
        const stored = await provider.appendMessages(
          id,
          messages,
          { userId, title },
          { createIfMissing: true },
        );
        if (!stored.success) throw new Failure(stored.error.message);
      }
    },
    remove: async (userId) => {
      for (const id of await list(userId)) {
        const deleted = await provider.deleteConversation(id);
        if (!deleted.success) throw new Failure(deleted.error.message);
      }
    },
  };
}
