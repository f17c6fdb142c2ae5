import { describe, expect, test } from "vitest";
import type { ProposedFact } from "../src/evidence/evidence.ts";
import type { ExtractInput } from "../src/extraction/options.ts";
import { processExtractions } from "../src/extraction/worker.ts";
import { createInMemoryUserMemoryBackend } from "../src/in-memory/backend.ts";
import { MemoryUserMemory } from "../src/in-memory/user-memory.ts";
import { asUserMemory } from "../src/middleware/as-user-memory.ts";
import { withMemoryExtract } from "../src/middleware/extract.ts";
import { withMemoryInject } from "../src/middleware/inject.ts";
import { renderUserMemory } from "../src/render/render.ts";
import { defineUserMemory } from "../src/store/define-user-memory.ts";
import { createMemoryTools } from "../src/tools/tools.ts";
import type { MemoryEntry } from "../src/user-memory.ts";
import { assistant, turnOf } from "./support/turn.ts";

/** The methods of these classes can only add to it if they are called on their instance. */
class Noting {
  readonly noted: string[] = [];

  protected note(what: string): void {
    this.noted.push(what);
  }
}

class Extracting extends Noting {
  async extract({ said }: ExtractInput): Promise<readonly ProposedFact[]> {
    this.note("extract");
    return said.map((evidence) => ({ fact: "The user likes tea", evidence, score: 1 }));
  }

  onExtracted(): void {
    this.note("onExtracted");
    throw new Error("ignored");
  }

  onError(): void {
    this.note("onError");
  }
}

class Injecting extends Noting {
  tokenizer(text: string): number {
    this.note("tokenizer");
    return text.length;
  }

  onInjected(entries: readonly MemoryEntry[]): void {
    this.note(`onInjected ${entries.length}`);
  }
}

const spec = { user: "alice", injectTokenBudget: 500 } as const;

describe("options as an instance of a class are called on the instance", () => {
  test("embed, resolve and onError of a store", async () => {
    class Options extends Noting {
      async embed(texts: readonly string[]): Promise<readonly (readonly number[])[]> {
        this.note(`embed ${texts.length}`);
        return texts.map(() => [1, 0]);
      }

      async resolve(): Promise<readonly string[]> {
        this.note("resolve");
        throw new Error("down");
      }

      onError(): void {
        this.note("onError");
      }
    }
    const options = new Options();
    const memory = defineUserMemory(createInMemoryUserMemoryBackend(), options);
    await memory.remember("alice", "Likes tea");
    await memory.remember("alice", "Likes green tea");
    expect(options.noted).toEqual(expect.arrayContaining(["embed 1", "resolve", "onError"]));
  });

  test("extract, onExtracted and onError of extraction", async () => {
    const options = new Extracting();
    const memory = new MemoryUserMemory();
    const linked = asUserMemory(memory, { extract: options, inject: new Injecting() });
    const [middleware] = linked.middlewareFor({ user: "alice", extract: "auto", inject: false });
    await middleware?.onFinish?.(turnOf(["I like tea"]), assistant("ok"));
    await linked.drain();
    expect(options.noted).toEqual(["extract", "onExtracted"]);

    const direct = Object.assign(new Extracting(), { memory, extract: () => Promise.reject(new Error("x")) });
    await withMemoryExtract(spec, direct).onFinish?.(turnOf(["I like milk"]), assistant("ok"));
    await memory.drain();
    expect(direct.noted).toEqual(["onError"]);
  });

  test("complete of a worker, and of a turn", async () => {
    class Model extends Noting {
      async complete(): Promise<string> {
        this.note("complete");
        return "[]";
      }
    }
    const memory = new MemoryUserMemory();
    const since = await memory.mark("alice");
    const job = { id: "turn", userId: "alice", said: ["I like tea"], reply: "", tags: [], threshold: 0.7 };
    await memory.queue.enqueue({ ...job, saidAt: new Date(), since }, { leaseMs: 0 });
    const model = new Model();
    expect(await processExtractions(memory, model)).toMatchObject({ done: 1 });
    expect(model.noted).toEqual(["complete"]);

    const turn = Object.assign(new Model(), { ...turnOf(["I like tea"]), complete: model.complete });
    await withMemoryExtract(spec, { memory }).onFinish?.(turn, assistant("ok"));
    await memory.drain();
    expect(turn.noted).toEqual(["complete"]);
  });

  test("tokenizer and onInjected of inject, and of rendering", async () => {
    const memory = new MemoryUserMemory();
    const fact = await memory.remember("alice", "Likes tea");
    const options = new Injecting();
    const [middleware] = asUserMemory(memory, { inject: options }).middlewareFor(spec);
    await middleware?.onStart?.(turnOf(["tea?"]));
    expect(options.noted).toEqual(["tokenizer", "onInjected 1"]);

    const direct = Object.assign(new Injecting(), { memory });
    await withMemoryInject(spec, direct).onStart?.(turnOf(["tea?"]));
    expect(direct.noted).toEqual(["tokenizer", "onInjected 1"]);

    const rendering = Object.assign(new Injecting(), { tokenBudget: 500 });
    expect(renderUserMemory([fact], rendering)).toContain("Likes tea");
    expect(rendering.noted).toEqual(["tokenizer"]);
  });

  test("user, said, turnStart and needsApproval of tools", async () => {
    class Approvals extends Noting {
      async remember(): Promise<boolean> {
        this.note("remember");
        return true;
      }
    }
    class Options extends Noting {
      readonly memory = new MemoryUserMemory();
      readonly needsApproval = new Approvals();

      user(): string {
        this.note("user");
        return "alice";
      }

      said(): readonly string[] {
        this.note("said");
        return ["I like tea."];
      }

      async turnStart(): Promise<undefined> {
        this.note("turnStart");
      }
    }
    const options = new Options();
    const { remember } = createMemoryTools<object>(options);
    expect(await remember.execute({ fact: "The user likes tea", evidence: "I like tea" }, {})).toMatch(
      /^Remembered/,
    );
    expect(options.noted).toEqual(["user", "turnStart", "said"]);
    const { needsApproval } = remember;
    if (typeof needsApproval !== "function") throw new Error("expected a function");
    await needsApproval({ fact: "The user likes tea" }, {});
    expect(options.needsApproval.noted).toEqual(["remember"]);
  });
});

test("a plain object with an unknown field is refused, in extract and inject, too", () => {
  const memory = new MemoryUserMemory();
  const misspelt = { onExtract: () => undefined } as never;
  expect(() => new MemoryUserMemory({ embedd: async () => [] } as never)).toThrow(
    /embedd: expected no such field/,
  );
  expect(() =>
    asUserMemory(memory, { extract: misspelt }).middlewareFor({ user: "a", extract: "auto" }),
  ).toThrow(/onExtract: expected no such field/);
  expect(() => asUserMemory(memory, { inject: misspelt }).middlewareFor({ user: "a" })).toThrow(TypeError);
  expect(() => renderUserMemory([], "none" as never)).toThrow(TypeError);
});

describe("a custom store", () => {
  test("as an instance of a class is called on the instance, and so is its queue", async () => {
    class Store extends Noting {
      readonly #memory = new MemoryUserMemory();
      remember(userId: string, fact: string): Promise<MemoryEntry> {
        this.note("remember");
        return this.#memory.remember(userId, fact);
      }
      recall(userId: string, query: string): Promise<MemoryEntry[]> {
        this.note("recall");
        return this.#memory.recall(userId, query);
      }
      async forget(userId: string, factId: string): Promise<void> {
        this.note("forget");
        await this.#memory.forget(userId, factId);
      }
      list(userId: string): Promise<MemoryEntry[]> {
        this.note("list");
        return this.#memory.list(userId);
      }
      async forgetAll(userId: string): Promise<void> {
        this.note("forgetAll");
        await this.#memory.forgetAll(userId);
      }
    }
    const store = new Store();
    const memory = asUserMemory(store);
    const { id } = await memory.remember("alice", "Likes tea");
    const [middleware] = memory.middlewareFor({ user: "alice" });
    expect(await middleware?.onStart?.(turnOf(["tea?"]))).toBeDefined();
    await memory.list("alice");
    await memory.forget("alice", id);
    await memory.forgetAll?.("alice");
    expect(store.noted).toEqual(["remember", "recall", "list", "forget", "forgetAll"]);
  });
});
