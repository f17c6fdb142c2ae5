import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { afterEach, describe, expect, it, vi } from "vitest";
import { approve, type MemoryConfig, run } from "../../src/index.ts";
import type { ScriptedStep } from "../../src/testing/index.ts";
import { approvalOf, paying, shop } from "../support/interrupted.ts";
import { assistant, deferred, errorOf, says, setup, user } from "../support/setup.ts";
import { recordWrites, seed, storedMessages } from "../support/stores.ts";

const rename = (provider: MemoryProvider, title: string) =>
  provider.appendMessages("c", [], { title }, { createIfMissing: "unowned" });

function start(
  provider: MemoryProvider,
  memory: Partial<MemoryConfig>,
  steps: readonly ScriptedStep<unknown>[],
) {
  return run(
    says("Hi"),
    setup({
      model: steps,
      config: { memory: { provider, autoStore: true, ...memory }, conversationId: "c" },
    }).config,
  );
}

afterEach(() => void vi.useRealTimers());

describe("a conversation that is renamed while a run holds the lease", () => {
  it.each(["completed", "turn", "step"] as const)("ends the turn no sooner: %s", async (durability) => {
    const provider = createInMemoryProvider();
    await seed(provider, [user("0"), assistant("zero")]);
    let count = 0;
    const renaming: ScriptedStep<unknown> = async () => {
      await rename(provider, `title ${++count}`);
      return { toolCalls: [{ name: "unknown" }] };
    };
    const last: ScriptedStep<unknown> = async () => {
      await rename(provider, "last");
      return "Done.";
    };
    const { outcome } = await start(provider, { durability }, [renaming, renaming, last]);
    expect(outcome).toEqual({ status: "completed", output: "Done." });
    expect(await provider.getConversation("c")).toMatchObject({ data: { metadata: { title: "last" } } });
  });

  it("keeps its lease: the lease is written again", async () => {
    // Time stands still while a busy machine does other things, so that no lease ends for that.
    vi.useFakeTimers();
    const inner = createInMemoryProvider();
    const { provider, writes } = recordWrites(inner);
    const answer = deferred();
    const asked = deferred();
    const slow: ScriptedStep<unknown> = async () => {
      asked.resolve();
      await answer.promise;
      return "Done.";
    };
    const running = start(provider, { durability: "turn", leaseMs: 400 }, [slow]);
    await asked.promise;
    for (let count = 0; count < 5; count++) {
      await rename(inner, `title ${count}`);
      const before = writes.length;
      await vi.advanceTimersByTimeAsync(400);
      expect(writes.length).toBeGreaterThan(before + 1);
    }
    expect(errorOf(await start(inner, { durability: "turn" }, []))).toMatchObject({
      error: { reason: "lease" },
    });
    answer.resolve();
    expect((await running).outcome.status).toBe("completed");
  });

  it("doesn't need a given approval again", async () => {
    const { provider, process, executed } = shop({ memory: { durability: "step" } });
    const asked = await process([{ toolCalls: [paying(50)] }], ["Pay"]);
    const renamedInBetween: MemoryProvider = {
      ...provider,
      appendMessages: async (...args) => {
        await rename(provider, crypto.randomUUID());
        return provider.appendMessages(...args);
      },
    };
    const memory = { provider: renamedInBetween, autoStore: true, durability: "step" } as const;
    // Each lease comes too late, however often it is written again.
    const late = await process([], [], { resume: { approvals: [approve(approvalOf(asked))] }, memory });
    expect(errorOf(late)).toMatchObject({ error: { reason: "lease" } });
    expect(executed).toEqual([]);
    const paid = await process(["Paid."], [], { resume: { approvals: [approve(approvalOf(asked))] } });
    expect(paid.outcome.status).toBe("completed");
    expect(executed).toEqual(["pay 50"]);
  });
});

describe("a lease that the store took", () => {
  it("needs no read of the store", async () => {
    const inner = createInMemoryProvider();
    await seed(inner, [user("Hi")]);
    let reads = 0;
    const provider = {
      ...inner,
      readConversation: (...args: Parameters<typeof inner.readConversation>) => {
        reads += 1;
        return inner.readConversation(...args);
      },
    };
    const { outcome } = await start(provider, { durability: "turn", concurrency: "queue" }, ["Hello."]);
    expect(outcome.status).toBe("completed");
    expect(reads).toBe(1);
    expect(await storedMessages(inner)).toEqual([user("Hi"), assistant("Hello.")]);
  });
});
