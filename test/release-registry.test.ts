import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { publishMissing } from "../scripts/release/publish-missing.ts";
import { presenceOf, requireNoOtherRegistry } from "../scripts/release/registry.ts";
import { scratchRepository } from "./scratch-repository.ts";

type Answer = readonly [status: number, body: object];

/** Starts a server on loopback with the status and body of its answers by path. */
async function serve(answers: Readonly<Record<string, Answer>>): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const [status, body] = answers[url] ?? [404, {}];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function tarballOf(text: string, name = "@jaf/a") {
  const folder = mkdtempSync(join(tmpdir(), "jaf-tarball-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tarball = join(folder, "a.tgz");
  writeFileSync(tarball, text);
  return { name, version: "0.1.0", tarball };
}

/** A registry's answer about a package of which it has version 0.1.0. */
function published(text: string): Answer {
  const integrity = `sha512-${createHash("sha512").update(text).digest("base64")}`;
  return [200, { versions: { "0.1.0": { dist: { integrity } } } }];
}

it("finds whether a registry has a version, and with which content", async () => {
  const registry = await serve({ "/@jaf%2fa": published("as built") });
  expect(await presenceOf(registry, tarballOf("as built"))).toBe("same");
  expect(await presenceOf(registry, tarballOf("another build"))).toBe("different");
  expect(await presenceOf(registry, { ...tarballOf("as built"), version: "0.2.0" })).toBe("missing");
  expect(await presenceOf(registry, { ...tarballOf("as built"), name: "@jaf/b" })).toBe("missing");
});

it("says what is wrong with a registry", async () => {
  const registry = await serve({ "/@jaf%2fa": [503, {}] });
  await expect(presenceOf(registry, tarballOf(""))).rejects.toThrow(/The registry answered 503 for @jaf\/a/);
  await expect(presenceOf("http://127.0.0.1:1", tarballOf(""))).rejects.toThrow(
    "The registry http://127.0.0.1:1 can't be reached.",
  );
});

/** The lines that are printed until the test ends. */
function printedLines(): string[] {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line) => void lines.push(line));
  onTestFinished(() => log.mockRestore());
  return lines;
}

it("continues a publication, and says what it skips", async () => {
  const answers: Record<string, Answer> = { "/@jaf%2fa": published("as built") };
  const registry = await serve(answers);
  const packed = [tarballOf("as built"), tarballOf("b", "@jaf/b"), tarballOf("c", "@jaf/c")];
  const lines = printedLines();
  await publishMissing(packed, registry, undefined);
  expect(lines.splice(0).at(-1)).toBe("3/3 @jaf/c@0.1.0 would be published (1 KiB)");
  const uploaded: string[] = [];
  await publishMissing(packed, registry, (tarball) => {
    const text = readFileSync(tarball, "utf8");
    answers[`/@jaf%2f${text}`] = published(text);
    return uploaded.push(tarball) > 0;
  });
  expect(uploaded).toEqual(packed.slice(1).map(({ tarball }) => tarball));
  expect(lines).toEqual([
    "1/3 @jaf/a@0.1.0 is on the registry: skipped",
    "2/3 @jaf/b@0.1.0 is published (1 KiB)",
    "3/3 @jaf/c@0.1.0 is published (1 KiB)",
  ]);
});

it("ends at the first package that can't be published", async () => {
  const registry = await serve({});
  const packed = [tarballOf("a"), tarballOf("b", "@jaf/b"), tarballOf("c", "@jaf/c")];
  const lines = printedLines();
  const upload = vi.fn((tarball: string) => tarball !== packed[1]?.tarball);
  await expect(publishMissing(packed, registry, upload)).rejects.toThrow(
    "pnpm couldn't publish @jaf/b@0.1.0",
  );
  expect(upload).toHaveBeenCalledTimes(2);
  expect(lines).toEqual(["1/3 @jaf/a@0.1.0 is published (1 KiB)"]);
});

it("publishes nothing if the registry has other content under the same version", async () => {
  const registry = await serve({ "/@jaf%2fb": published("as built") });
  const upload = vi.fn(() => true);
  const packed = [tarballOf("a"), tarballOf("another build", "@jaf/b")];
  await expect(publishMissing(packed, registry, upload)).rejects.toThrow(
    "The registry has @jaf/b@0.1.0 with other content. A published version can't be changed: prepare a new one.",
  );
  expect(upload).not.toHaveBeenCalled();
});

it("fails if the registry lacks what was uploaded", async () => {
  const registry = await serve({});
  printedLines();
  await expect(publishMissing([tarballOf("a")], registry, () => true, 0)).rejects.toThrow(
    `@jaf/a@0.1.0 is uploaded, but ${registry} doesn't have it as it was built.`,
  );
});

it("refuses to publish if the scope has another registry", () => {
  const { root, write } = scratchRepository();
  const registry = "http://127.0.0.1:1/";
  write({ ".npmrc": "@jaf:registry=http://127.0.0.1:1\n" });
  requireNoOtherRegistry(root, registry);
  write({ ".npmrc": "@jaf:registry=http://127.0.0.1:2\n" });
  expect(() => requireNoOtherRegistry(root, registry)).toThrow("so pnpm would upload there and not to");
});
