import { afterAll, describe, expect, it } from "vitest";
import { fromMetadataTexts, toMetadataTexts } from "../../src/conversations/metadata.ts";
import { createProvider } from "../support/provider.ts";
import { dropSchemas, freshSchema, runSql, useClient } from "../support/stores.ts";

const schemas: string[] = [];
afterAll(() => dropSchemas(schemas));

const NUL = "a\0b";
const LONE = "a\ud800b";
const SHOWN = "a\ufffdb";

const columns = async (schema: string) =>
  (await runSql(`SELECT metadata, exact_metadata FROM "${schema}".conversations`)).rows[0];

/** A provider with a conversation `c` with these metadata, and a way to read them. */
async function withMetadata(
  metadata: Readonly<Record<string, unknown>>,
  use: (
    merge: (fields: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>,
    schema: string,
  ) => Promise<void>,
): Promise<void> {
  const schema = freshSchema();
  schemas.push(schema);
  await useClient(async (client) => {
    const provider = await createProvider({ schema }, client);
    await provider.storeMessages("c", [], metadata);
    await use(async (fields) => {
      expect(await provider.appendMessages("c", [], fields)).toMatchObject({ success: true });
      const exported = await provider.exportConversation("c");
      if (!exported.success || exported.data === null) throw new Error("not there");
      return exported.data.metadata;
    }, schema);
  });
}

describe("metadata that jsonb can't hold", () => {
  it("are shown with U+FFFD, and only those fields are also stored exactly", () =>
    withMetadata({ plain: "x", nul: NUL, lone: { deep: [LONE] }, [LONE]: 1 }, async (merge, schema) => {
      expect(await columns(schema)).toEqual({
        metadata: { plain: "x", nul: SHOWN, lone: { deep: [SHOWN] }, [SHOWN]: 1 },
        exact_metadata: {
          '"nul"': '"a\\u0000b"',
          '"lone"': '{"deep":["a\\ud800b"]}',
          '"a\\ud800b"': "1",
        },
      });
      expect(await merge({})).toEqual({ plain: "x", nul: NUL, lone: { deep: [LONE] }, [LONE]: 1 });
    }));

  it("cost nothing if there are none", () =>
    withMetadata(
      { plain: "\\u0000 \\ud800", pair: "\u{1F600}", replacement: "\ufffd" },
      async (_, schema) => {
        expect(await columns(schema)).toMatchObject({ exact_metadata: null });
      },
    ));

  it("may have names that differ in nothing else", () =>
    withMetadata({ [NUL]: "nul", [LONE]: "lone", [SHOWN]: "shown" }, async (merge) => {
      expect(await merge({})).toEqual({ [NUL]: "nul", [LONE]: "lone", [SHOWN]: "shown" });
      expect(await merge({ [LONE]: "new" })).toEqual({ [NUL]: "nul", [LONE]: "new", [SHOWN]: "shown" });
      expect(await merge({ [SHOWN]: "new too" })).toEqual({
        [NUL]: "nul",
        [LONE]: "new",
        [SHOWN]: "new too",
      });
    }));

  it("are removed when their fields are written again", () =>
    withMetadata({ plan: NUL, '"quoted"\\\n\u0001\u007f\u2028': LONE }, async (merge, schema) => {
      expect(await merge({ plan: "pro", other: 1 })).toMatchObject({ plan: "pro", other: 1 });
      expect(await merge({ '"quoted"\\\n\u0001\u007f\u2028': 2 })).toEqual({
        plan: "pro",
        other: 1,
        '"quoted"\\\n\u0001\u007f\u2028': 2,
      });
      expect(await columns(schema)).toMatchObject({ exact_metadata: null });
      expect(await merge({ plan: LONE })).toMatchObject({ plan: LONE, other: 1 });
    }));

  it("are replaced with all other fields", () =>
    withMetadata({ plan: NUL, [LONE]: 1 }, async (merge, schema) => {
      await useClient(async (client) => {
        const provider = await createProvider({ schema }, client);
        await provider.storeMessages("c", [], { plan: "pro" });
      });
      expect(await merge({})).toEqual({ plan: "pro" });
    }));
});

it("metadata with any text are read exactly as written", () => {
  const PIECES = ["\0", "\ud800", "\udfff", "\ufffd", "\u{1F600}", "\\", "\\u0000", '"', "a", "\n", "\ufeff"];
  const textOf = (seed: number): string =>
    Array.from({ length: seed % 5 }, (_, at) => PIECES[(seed >> at) % PIECES.length]).join("");
  for (let seed = 1; seed < 4_000; seed++) {
    const metadata = Object.fromEntries(
      [seed, seed * 7, seed * 31].map((at) => [textOf(at), { [textOf(at + 1)]: [textOf(at + 2)] }]),
    );
    const { jsonb, exact } = toMetadataTexts(metadata);
    // As in jsonb, the last of several fields with the same name counts.
    const stored = JSON.stringify(JSON.parse(jsonb));
    expect(stored).not.toMatch(/(?<!\\)(?:\\\\)*\\u(0000|d[89a-f])/);
    expect(fromMetadataTexts(stored, exact && JSON.stringify(exact))).toEqual(metadata);
  }
});
