import { describe, expect, it } from "vitest";
import { createMemoryConflictError, createMemoryValidationError, describeCause } from "../../src/adapter.ts";
import {
  createMemoryConnectionError,
  createMemoryNotFoundError,
  createMemoryStorageError,
  isMemoryConflictError,
  isMemoryConnectionError,
  isMemoryNotFoundError,
  isMemoryStorageError,
  isMemoryValidationError,
} from "../../src/index.ts";

const guards = {
  MemoryConnectionError: isMemoryConnectionError,
  MemoryNotFoundError: isMemoryNotFoundError,
  MemoryStorageError: isMemoryStorageError,
  MemoryConflictError: isMemoryConflictError,
  MemoryValidationError: isMemoryValidationError,
};

const errors = [
  createMemoryConnectionError("redis"),
  createMemoryNotFoundError("conv-123"),
  createMemoryStorageError("store messages", "Retry exhausted"),
  createMemoryConflictError("version"),
  createMemoryValidationError([{ path: "limit", expected: "a whole number from 0" }]),
];

describe("memory errors", () => {
  it.each(errors.map((error) => [error._tag, error] as const))(
    "are told apart by their guard: %s",
    (tag, error) => {
      const passing = Object.entries(guards).filter(([, guard]) => guard(error));
      expect(passing.map(([name]) => name)).toEqual([tag]);
    },
  );

  it("contain message, provider, operation and retryable even without details", () => {
    for (const error of errors) {
      expect(error.message).not.toBe("");
      expect(error.provider).not.toBe("");
      expect(error.operation).not.toBe("");
      expect(error.retryable).toBe(error._tag === "MemoryConnectionError");
      expect(error).not.toHaveProperty("cause");
    }
  });

  it("contain the given details", () => {
    const cause = new TypeError("socket closed");
    const details = { provider: "postgres", operation: "appendMessages", retryable: true, cause };
    const told = { ...details, cause: { name: "TypeError", message: "socket closed" } };
    expect(createMemoryConnectionError("postgres", "try again", details)).toMatchObject(told);
    expect(createMemoryNotFoundError("c", details)).toMatchObject({ ...told, conversationId: "c" });
    expect(createMemoryStorageError("appendMessages", "full", details)).toMatchObject(told);
    expect(createMemoryConflictError("version", { ...details, actualVersion: 0 })).toMatchObject({
      ...told,
      reason: "version",
      actualVersion: 0,
    });
    expect(createMemoryValidationError([], details)).toMatchObject(told);
  });

  it("survive JSON, for logs", () => {
    for (const error of errors) expect(JSON.parse(JSON.stringify(error))).toEqual(error);
  });
});

describe("describeCause", () => {
  it("keeps only name, message and code of a driver's error", () => {
    const driverError = Object.assign(new Error("duplicate key value violates unique constraint"), {
      name: "DatabaseError",
      code: "23505",
      detail: "Key (content)=(s3cret) already exists.",
      where: "s3cret",
      parameters: ["s3cret"],
      query: "INSERT s3cret",
      cause: new Error("s3cret"),
    });
    expect(describeCause(driverError)).toEqual({
      name: "DatabaseError",
      message: "duplicate key value violates unique constraint",
      code: "23505",
    });
  });

  it("keeps a numeric code as text, and drops other codes", () => {
    expect(describeCause(Object.assign(new Error("x"), { code: 111 })).code).toBe("111");
    expect(describeCause(Object.assign(new Error("x"), { code: { secret: 1 } }))).not.toHaveProperty("code");
  });

  it.each(["name", "message", "code"])("describes an error with an unreadable or non-text %s", (field) => {
    const get = () => {
      throw new Error("s3cret");
    };
    for (const property of [{ get }, { value: { toString: get } }, { value: Symbol("x") }]) {
      const { name, message } = describeCause(Object.defineProperty(new Error("x"), field, property));
      expect(`${name} ${message}`).not.toContain("s3cret");
    }
  });

  it.each([["s3cret"], [{ message: "s3cret" }], [null], [undefined], [5]])(
    "keeps nothing of %j",
    (thrown) => {
      const cause = describeCause(thrown);
      expect(cause).toEqual({ name: "NonError", message: `a ${typeof thrown} was thrown` });
    },
  );
});
