import { afterEach, describe, expect, it } from "vitest";
import { createInMemoryProvider, type MemoryAdapter, registerMemoryAdapter } from "../../src/index.ts";
import { notesAdapter } from "./notes-adapter.ts";

describe("registerMemoryAdapter", () => {
  const undo: (() => void)[] = [];
  afterEach(() => {
    for (const unregister of undo.splice(0)) unregister();
  });

  it("refuses another adapter of the same type until all registrations are undone", () => {
    const adapter = notesAdapter();
    const unregister = registerMemoryAdapter(adapter);
    const again = registerMemoryAdapter(adapter);
    undo.push(unregister, again);
    expect(() => registerMemoryAdapter(notesAdapter())).toThrow(TypeError);
    unregister();
    unregister();
    expect(() => registerMemoryAdapter(notesAdapter())).toThrow(TypeError);
    again();
    undo.push(registerMemoryAdapter(notesAdapter()));
  });

  it("only unregisters its own registration", () => {
    const first = registerMemoryAdapter(notesAdapter());
    first();
    undo.push(registerMemoryAdapter(notesAdapter()));
    first();
    expect(() => registerMemoryAdapter(notesAdapter())).toThrow("notes");
  });

  it("keeps the built-in type", () => {
    expect(() => registerMemoryAdapter({ ...notesAdapter(), type: "memory" })).toThrow("memory");
  });

  it.each([
    ["type", { type: "../x" }],
    ["type", { type: "Notes" }],
    ["type", { type: `a${"b".repeat(50)}` }],
    ["type", { type: "" }],
    ["configSchema", { configSchema: {} }],
    ["create", { create: undefined }],
    ["environment", { environment: undefined }],
    ["environment", { environment: { JAF_X: { field: "x", format: "date" } } }],
    ["environment", { environment: { "jaf-x": { field: "x" } } }],
  ])("refuses an adapter with an invalid %s and names the field", (field, change) => {
    const adapter = { ...notesAdapter(), ...change } as unknown as MemoryAdapter;
    expect(() => registerMemoryAdapter(adapter)).toThrow(TypeError);
    expect(() => registerMemoryAdapter(adapter)).toThrow(field);
  });

  it("refuses values that aren't objects", () => {
    for (const value of [undefined, null, "notes", createInMemoryProvider]) {
      expect(() => registerMemoryAdapter(value as never)).toThrow(TypeError);
    }
  });
});
