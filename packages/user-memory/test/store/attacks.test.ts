import { describe, expect, test } from "vitest";
import { MemoryUserMemory } from "../../src/in-memory/user-memory.ts";

const USER = "ada";
const DAY = 86_400_000;
const EVERY = { status: ["active", "quarantined", "superseded"] } as const;
const extracted = (position = 0, saidAt = new Date()) => ({
  extractor: "model",
  conversationId: "c",
  position,
  saidAt,
});
const refused = (code: string) => expect.objectContaining({ name: "UserMemoryError", code });
const texts = (facts: readonly { readonly fact: string }[]) => facts.map(({ fact }) => fact);

describe("a forgotten fact", () => {
  const OLD = new Date(Date.now() - DAY);

  async function forgotten() {
    const memory = new MemoryUserMemory();
    const { id } = await memory.remember(USER, "Lives in Oslo", {
      provenance: { ...extracted(0, OLD), evidence: "I live in Oslo and my dog is Rex." },
    });
    const rex = await memory.remember(USER, "The dog of the user is Rex", {
      provenance: { ...extracted(0, OLD), evidence: "I live in Oslo and my dog is Rex." },
    });
    await memory.forget(USER, id);
    return { memory, rex };
  }

  test("isn't extracted again after a page has stated it, too", async () => {
    const { memory } = await forgotten();
    await memory.remember(USER, "Lives in Oslo", { trust: "external" });
    await expect(memory.remember(USER, "Lives in Oslo", { provenance: extracted(3, OLD) })).rejects.toEqual(
      refused("forgotten"),
    );
  });

  test.each([
    ["with a mark at its end", "Lives in Oslo؟"],
    ["with an invisible sign in it", "Lives in Os\u200dlo"],
    ["in other words", "Oslo is where the user is at home"],
  ])("isn't extracted again from the same message %s", async (_, fact) => {
    const { memory } = await forgotten();
    const provenance = { ...extracted(0, OLD), evidence: "live in Oslo" };
    await expect(memory.remember(USER, fact, { provenance })).rejects.toEqual(refused("forgotten"));
  });

  test("is removed from the evidence of other facts of the same message", async () => {
    const { memory, rex } = await forgotten();
    expect(await memory.recall(USER, "Oslo")).toEqual([]);
    expect((await memory.get(USER, rex.id))?.provenance.evidence).toBeUndefined();
    expect(texts(await memory.recall(USER, "dog"))).toEqual(["The dog of the user is Rex"]);
    expect(await memory.verifyAudit(USER)).toMatchObject({ ok: true });
  });

  test("isn't stored again by a call that began earlier", async () => {
    let release = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isSlow = false;
    const memory = new MemoryUserMemory({
      embed: async () => {
        if (isSlow) await slow;
        return [[1, 0]];
      },
    });
    const { id } = await memory.remember(USER, "Lives in Oslo");
    isSlow = true;
    const late = memory.remember(USER, "Lives in Oslo");
    await new Promise((resolve) => setTimeout(resolve, 5));
    await memory.forget(USER, id);
    release();
    await expect(late).rejects.toEqual(refused("forgotten"));
    expect(await memory.list(USER)).toEqual([]);
  });

  test("that was rejected never waits again, but the user can state it", async () => {
    const memory = new MemoryUserMemory();
    const claim = () =>
      memory.remember(USER, "Owns a yacht", { trust: "external", provenance: extracted(1, new Date()) });
    expect(await memory.review.reject(USER, (await claim()).id)).toBe(true);
    await expect(claim()).rejects.toEqual(refused("forgotten"));
    expect(await memory.remember(USER, "Owns a yacht")).toMatchObject({ status: "active" });
  });
});

describe("planted facts", () => {
  test.each(["external", "inferred"] as const)(
    "as %s leaves no date, tag or key in what the user says then",
    async (trust) => {
      const memory = new MemoryUserMemory();
      await memory.remember(USER, "Is allergic to nuts", { key: "allergy" });
      await memory.remember(USER, "Lives in Oslo", {
        ...{ trust, tags: ["planted"], key: "planted-key", score: 0.1 },
        validFrom: new Date(Date.now() + 40 * 365 * DAY),
      });
      const said = await memory.remember(USER, "Lives in Oslo");
      expect(said).toMatchObject({ trust: "stated", status: "active" });
      expect([said.tags, said.key, said.score]).toEqual([undefined, undefined, undefined]);
      expect(texts(await memory.recall(USER, "Oslo"))).toEqual(["Lives in Oslo"]);
    },
  );

  test("can't survive with an end date either", async () => {
    const memory = new MemoryUserMemory();
    const validUntil = new Date(Date.now() + DAY);
    await memory.remember(USER, "Lives in Oslo", { trust: "external", validUntil });
    expect((await memory.remember(USER, "Lives in Oslo")).validUntil).toBeUndefined();
  });

  test("can't supersede an unrelated statement by a model's key", async () => {
    const memory = new MemoryUserMemory();
    await memory.remember(USER, "Is allergic to penicillin", { key: "allergy" });
    await memory.remember(USER, "The user likes green tea", { key: "allergy", provenance: extracted() });
    expect(texts(await memory.recall(USER, "allergic to penicillin"))).toEqual(["Is allergic to penicillin"]);
    const newer = await memory.remember(USER, "Is allergic to nuts", {
      key: "allergy",
      provenance: extracted(1),
    });
    expect(texts(await memory.list(USER))).toEqual([newer.fact, "The user likes green tea"]);
  });

  test("can't fill the room for the user's statements with history", async () => {
    const memory = new MemoryUserMemory({
      limits: { maxFacts: 20, maxUntrustedFacts: 5, maxExtractedPerConversation: 100 },
    });
    const outcomes: unknown[] = [];
    for (let at = 0; at < 30; at++) {
      const kept = memory.remember(USER, `mood is ${at}`, { trust: "inferred", key: "mood" });
      outcomes.push(
        await kept.then(
          () => "kept",
          ({ code }: { code: string }) => code,
        ),
      );
    }
    expect(outcomes.filter((outcome) => outcome === "kept")).toHaveLength(5);
    expect(new Set(outcomes.slice(5))).toEqual(new Set(["full"]));
    expect(await memory.remember(USER, "Lives in Oslo")).toMatchObject({ status: "active" });
  });

  test("can't outrank a well-matching statement of the user, however many there are", async () => {
    const memory = new MemoryUserMemory({ limits: { maxExtractedPerConversation: 10_000 } });
    await memory.remember(USER, "The favourite colour of the user, among very many things, is blue");
    for (let at = 0; at < 700; at++) {
      await memory.remember(USER, `favourite colour red ${at}`, {
        trust: "inferred",
        provenance: { conversationId: `c${at}` },
      });
    }
    const [first] = await memory.recall(USER, "favourite colour", { limit: 5 });
    expect(first?.fact).toContain("blue");
  });
});

describe("times and places", () => {
  test("an undated statement from a process with a slow clock is current", async () => {
    const memory = new MemoryUserMemory();
    const ahead = new Date(Date.now() + 3_600_000);
    await memory.remember(USER, "Lives in Oslo", { key: "city", validFrom: ahead });
    await memory.remember(USER, "Lives in Rome", { key: "city" });
    expect(texts(await memory.list(USER))).toEqual(["Lives in Rome"]);
  });

  test("an ended fact causes no conflict", async () => {
    const memory = new MemoryUserMemory();
    const [validFrom, validUntil] = [new Date(Date.now() - 9 * DAY), new Date(Date.now() - DAY)];
    await memory.remember(USER, "Lives in Oslo", { key: "city", validFrom, validUntil });
    const inferred = await memory.remember(USER, "Lives in Rome", { key: "city", trust: "inferred" });
    expect(inferred.status).toBe("active");
  });

  test("a repeated fact from an earlier time doesn't become a second current fact of its key", async () => {
    const memory = new MemoryUserMemory();
    await memory.remember(USER, "Lives in Oslo");
    await memory.remember(USER, "Lives in Rome", { key: "city" });
    await memory.remember(USER, "Lives in Oslo", { key: "city", validFrom: new Date(Date.now() - DAY) });
    expect((await memory.list(USER)).filter(({ key }) => key === "city")).toHaveLength(1);
  });

  test("a position above the maximum is refused", async () => {
    const memory = new MemoryUserMemory();
    const provenance = { conversationId: "c", position: Number.MAX_SAFE_INTEGER };
    await expect(memory.remember(USER, "Lives in Oslo", { provenance })).rejects.toEqual(refused("invalid"));
  });

  test("a superseded fact can't be rewritten", async () => {
    const memory = new MemoryUserMemory();
    const { id } = await memory.remember(USER, "Lives in Oslo", { key: "city" });
    await memory.remember(USER, "Lives in Rome", { key: "city" });
    await expect(memory.update(USER, id, { fact: "Lives in Bonn" })).rejects.toEqual(refused("invalid"));
    expect(texts(await memory.list(USER, EVERY))).toEqual(["Lives in Rome", "Lives in Oslo"]);
  });

  test("tags grow up to the store's limit, and the newest stay", async () => {
    const memory = new MemoryUserMemory({ limits: { maxTags: 2 } });
    await memory.remember(USER, "Lives in Oslo", { tags: ["a", "b"] });
    expect((await memory.remember(USER, "Lives in Oslo", { tags: ["c"] })).tags).toEqual(["b", "c"]);
  });
});
