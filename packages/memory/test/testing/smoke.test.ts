import { checkMemoryProvider, type MemoryProviderHarness } from "@jaf/memory/testing";
import { describe, expect, it } from "vitest";
import { createInMemoryProvider, type VersionedMemoryProvider } from "../../src/index.ts";
import { rulesOf } from "../../src/testing/kit/spec.ts";
import { specsFor } from "../../src/testing/specs/index.ts";
import { SMOKE } from "../../src/testing/specs/smoke.ts";

const nameOf = ({ subject, title }: { readonly subject: string; readonly title: string }) =>
  `${subject}: ${title}`;

/** Records the names of the called methods and of the options of writes. */
function watch(provider: VersionedMemoryProvider, seen: Set<string>): VersionedMemoryProvider {
  return new Proxy(provider, {
    get: (target, name: keyof VersionedMemoryProvider) => {
      const method: unknown = target[name];
      if (typeof method !== "function") return method;
      return (...args: unknown[]) => {
        seen.add(String(name));
        if (/^(store|append)Messages$/.test(name))
          for (const option of Object.keys(args[3] ?? {})) seen.add(`option ${option}`);
        return method.apply(target, args);
      };
    },
  });
}

describe("the smoke of the conformance kit", () => {
  it("is a subset of the rules, about forty of them", () => {
    const all = specsFor({}).flatMap(rulesOf).map(nameOf);
    const listed = Object.entries(SMOKE).flatMap(([subject, titles]) =>
      titles.map((title) => nameOf({ subject, title })),
    );
    expect(listed.filter((name) => !all.includes(name))).toEqual([]);
    expect(
      specsFor({ rules: "smoke", seeds: [9] })
        .flatMap(rulesOf)
        .map(nameOf)
        .toSorted(),
    ).toEqual(listed.toSorted());
    expect(listed.length).toBeGreaterThanOrEqual(35);
    expect(listed.length).toBeLessThanOrEqual(45);
  });

  it("calls every method and uses every option of a write", { timeout: 60_000 }, async () => {
    const seen = new Set<string>();
    const methods = new Set<string>();
    const harness: MemoryProviderHarness = {
      name: "in-memory",
      rules: "smoke",
      capabilities: { durability: { unsupported: "it is in memory" } },
      createStore: async () => {
        const provider = createInMemoryProvider({ maxMessagesPerConversation: 10_000 });
        for (const [name, value] of Object.entries(provider))
          if (typeof value === "function") methods.add(name);
        return { provider: watch(provider, seen), dispose: async () => void (await provider.close()) };
      },
    };
    const reports = await checkMemoryProvider(harness);
    expect(reports.filter(({ status }) => status === "failed")).toEqual([]);
    // `on` is not a method of the contract.
    expect([...methods].filter((name) => name !== "on" && !seen.has(name))).toEqual([]);
    const options = [
      ...["createIfMissing", "expectedVersion", "expectedMetadataVersion", "expectedIncarnation"],
      ...["idempotencyKey", "dropLast", "messageIds", "maxMessages", "ttlSeconds"],
    ];
    expect(options.filter((name) => !seen.has(`option ${name}`))).toEqual([]);
  });
});
