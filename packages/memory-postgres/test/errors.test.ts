import { describe, expect, it } from "vitest";
import { isRefusal, toMemoryError } from "../src/errors.ts";

const SECRET = "s3cret";

const failure = (code: string | undefined, message = `failed on ${SECRET}`): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code }, {
    detail: `Key (body)=(${SECRET})`,
    params: [SECRET],
  });

const connection = "MemoryConnectionError";
const storage = "MemoryStorageError";

describe("an error of the database", () => {
  it.each([
    ["ECONNREFUSED", connection, true, /no server listens/],
    ["ENOENT", connection, true, /no server listens/],
    ["ECONNRESET", connection, true, /connection broke/],
    ["EPIPE", connection, true, /connection broke/],
    ["ETIMEDOUT", connection, true, /in time/],
    ["ENOTFOUND", connection, true, /host name/],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", connection, false, /`ssl`/],
    ["08006", connection, true, /connection broke/],
    ["08P01", connection, true, /PgBouncer/],
    ["22021", storage, false, /UTF8/],
    ["22P02", storage, false, /unexpectedly/],
    ["23505", storage, false, /unexpectedly/],
    ["55000", connection, true, /takes no connections/],
    ["25006", storage, true, /read-only/],
    ["28P01", connection, false, /username, password/],
    ["28000", connection, false, /username, password/],
    ["3D000", connection, false, /createdb/],
    ["40001", storage, true, /try again/],
    ["40P01", storage, true, /try again/],
    ["42501", storage, false, /printMigrations\(\)/],
    ["42P01", storage, false, /migrate\(\)/],
    ["42883", storage, false, /migrate\(\)/],
    ["42939", storage, false, /reserved/],
    ["3F000", storage, false, /no schema/],
    ["JF001", storage, false, /a conversation of that id is not visible to this role/],
    ["JF003", storage, false, /renamed .* run migrate\(\)/],
    ["JF004", storage, false, /tables are gone/],
    ["ERR_INVALID_URL", connection, false, /`connectionString` is not a valid URL/],
    ["42P07", storage, false, /`tableName`/],
    ["53100", storage, true, /disk/],
    ["53000", storage, true, /memory/],
    ["53200", storage, false, /max_locks_per_transaction, or use fewer partitions/],
    ["53300", connection, true, /PgBouncer/],
    ["54000", storage, false, /maxMessages/],
    ["55P03", storage, true, /lock/],
    ["57014", storage, true, /timeout/],
    ["57P01", connection, true, /administrator terminated .* shutting down/],
    ["57P03", connection, true, /starting up/],
    ["XX001", storage, false, /backup/],
    ["99999", storage, false, /unexpectedly/],
  ])("with code %s is a %s, retryable: %s", (code, _tag, retryable, remedy) => {
    const error = toMemoryError("appendMessages", failure(code, "failed"));
    expect(error).toMatchObject({ _tag, retryable, provider: "postgres", operation: "appendMessages" });
    expect(error.message).toMatch(remedy);
    expect(error.cause?.code).toBe(code);
  });

  it.each([
    ["timeout exceeded when trying to connect", connection, true],
    ["Query read timeout", connection, true],
    ["Connection terminated unexpectedly", connection, true],
    ["Client has encountered a connection error and is not queryable", connection, true],
    ["Client was closed and is not queryable", connection, false],
    ["Cannot use a pool after calling end on the pool", connection, false],
    ["PGlite is closed", connection, false],
    ["The server does not support SSL connections", connection, false],
    ["SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string", connection, false],
    ["URI malformed", connection, false],
    ["who knows", storage, false],
  ])("without a code, %j, is a %s, retryable: %s", (message, _tag, retryable) => {
    expect(toMemoryError("getStats", failure(undefined, message))).toMatchObject({ _tag, retryable });
  });

  it.each(["22P02", "23505", "28P01", "P0001", "ENOTFOUND", "XX000", undefined])(
    "with code %s reveals no stored, sent or configured data",
    (code) => {
      expect(JSON.stringify(toMemoryError("appendMessages", failure(code)))).not.toContain(SECRET);
    },
  );

  it("is a tagged error even if the thrown value isn't an Error", () => {
    expect(toMemoryError("getStats", SECRET)).toMatchObject({ _tag: storage, cause: { name: "NonError" } });
    expect(JSON.stringify(toMemoryError("getStats", SECRET))).not.toContain(SECRET);
  });
});

describe("a server's reply that certainly means no effect", () => {
  const answer = (code: string, severity: string) => Object.assign(failure(code), { severity });

  it.each([
    ["23514", "ERROR"],
    ["40P01", "ERROR"],
    ["57014", "ERROR"],
    ["XX001", "ERROR"],
    ["22021", "FEHLER"],
  ])("is one with code %s and severity %s", (code, severity) => {
    expect(isRefusal(answer(code, severity))).toBe(true);
  });

  it.each([
    ["57P01", "FATAL"],
    ["58030", "PANIC"],
    ["XX000", "PANIK"],
    ["53300", "FATAL"],
  ])("isn't one with code %s and severity %s", (code, severity) => {
    expect(isRefusal(answer(code, severity))).toBe(false);
  });

  it("isn't an error of the driver or the network", () => {
    for (const code of ["ECONNRESET", "EPIPE", undefined]) expect(isRefusal(failure(code))).toBe(false);
    expect(isRefusal("40001")).toBe(false);
  });
});
