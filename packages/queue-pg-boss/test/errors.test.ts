import { expect, it } from "vitest";
import { StatementTimeout, toMemoryError, UnstartedBoss } from "../src/errors.ts";

const withCode = (code: string) => Object.assign(new Error("ada wrote: secret"), { code });

const CONNECTION = "MemoryConnectionError";
const STORAGE = "MemoryStorageError";

it.each<[string, Error, string, boolean, RegExp]>([
  ["a refused connection", withCode("ECONNREFUSED"), CONNECTION, true, /no server listens/],
  ["a lost connection", withCode("ECONNRESET"), CONNECTION, true, /connection broke/],
  [
    "a lost connection without a code",
    new Error("Connection terminated unexpectedly"),
    CONNECTION,
    true,
    /broke/,
  ],
  ["a timeout of the driver", new Error("Query read timeout"), CONNECTION, true, /in time/],
  ["our timeout", new StatementTimeout("late"), CONNECTION, true, /in time/],
  ["a PgBoss that isn't started", new UnstartedBoss("no"), CONNECTION, true, /start\(\)/],
  ["a restart", withCode("57P01"), CONNECTION, true, /shutting down/],
  ["a wrong password", withCode("28P01"), CONNECTION, false, /login/],
  ["a missing database", withCode("3D000"), CONNECTION, false, /no such database/],
  ["missing tables", withCode("42P01"), STORAGE, false, /tables of pg-boss/],
  ["a deadlock", withCode("40P01"), STORAGE, true, /try again/],
  ["a full disk", withCode("53100"), STORAGE, true, /disk space/],
  ["an unknown error", new Error("ada wrote: secret"), STORAGE, false, /unexpectedly/],
])("%s", (_, thrown, tag, retryable, message) => {
  const error = toMemoryError("submit", thrown);
  expect(error).toMatchObject({ _tag: tag, retryable, operation: "submit", provider: "pg-boss" });
  expect(error.message).toMatch(message);
  expect(JSON.stringify(error)).not.toContain("secret");
});
