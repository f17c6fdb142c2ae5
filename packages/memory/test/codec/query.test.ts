import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conversationCursor } from "../../src/adapter.ts";
import { parseCursor } from "../../src/codec/query.ts";
import { storableIds } from "../../src/testing/fixtures/hostile-ids.ts";

const conversation = (conversationId: string, lastActivity: Date) => ({
  conversationId,
  messages: [],
  metadata: { createdAt: lastActivity, updatedAt: lastActivity, totalMessages: 0, lastActivity },
});

describe("conversationCursor", () => {
  it("identifies a position by any time and id", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...storableIds),
        fc.date({ noInvalidDate: true }),
        (conversationId, lastActivity) => {
          const cursor = conversationCursor(conversation(conversationId, lastActivity)) ?? "";
          expect(parseCursor(cursor)).toEqual({ conversationId, lastActivity });
          expect(cursor).toMatch(/^[\w-]+$/);
        },
      ),
    );
  });

  it("is undefined for a conversation without metadata", () => {
    expect(conversationCursor({ conversationId: "c", messages: [] })).toBeUndefined();
  });
});

describe("parseCursor", () => {
  it("accepts only cursors, and never throws for other text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        expect(parseCursor(text)).toBeUndefined();
      }),
    );
  });

  it("refuses JSON that is not a cursor", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const position = parseCursor(Buffer.from(JSON.stringify(value)).toString("base64url"));
        fc.pre(!(Array.isArray(value) && typeof value[0] === "number" && typeof value[1] === "string"));
        expect(position).toBeUndefined();
      }),
    );
  });
});
