import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { publishMissing } from "../scripts/release/publish-missing.ts";
import { presenceOf } from "../scripts/release/registry.ts";

/** Starts a server on loopback with the status and body of its answers by path. */
async function serve(
  answers: Readonly<Record<string, readonly [status: number, body: object]>>,
): Promise<string> {
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

const integrity = `sha512-${createHash("sha512").update("as built").digest("base64")}`;

it("finds whether a registry has a version, and with which content", async () => {
  const registry = await serve({ "/@jaf%2fa": [200, { versions: { "0.1.0": { dist: { integrity } } } }] });
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
function printedLines(): readonly string[] {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line) => void lines.push(line));
  onTestFinished(() => log.mockRestore());
  return lines;
}

it("continues a publication, and says what it skips", async () => {
  const registry = await serve({ "/@jaf%2fa": [200, { versions: { "0.1.0": { dist: { integrity } } } }] });
  const packed = [tarballOf("as built"), tarballOf("b", "@jaf/b"), tarballOf("c", "@jaf/c")];
  const lines = printedLines();
  const uploaded: string[] = [];
  await publishMissing(packed, registry, (tarball) => uploaded.push(tarball) > 0);
  expect(uploaded).toEqual(packed.slice(1).map(({ tarball }) => tarball));
  expect(lines).toEqual([
    "1/3 @jaf/a@0.1.0 is on the registry: skipped",
    "2/3 @jaf/b@0.1.0 is published (1 KiB)",
    "3/3 @jaf/c@0.1.0 is published (1 KiB)",
  ]);
  await publishMissing(packed, registry, undefined);
  expect(lines.at(-1)).toBe("3/3 @jaf/c@0.1.0 would be published (1 KiB)");
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
  const registry = await serve({ "/@jaf%2fb": [200, { versions: { "0.1.0": { dist: { integrity } } } }] });
  const upload = vi.fn(() => true);
  const packed = [tarballOf("a"), tarballOf("another build", "@jaf/b")];
  await expect(publishMissing(packed, registry, upload)).rejects.toThrow(
    "The registry has @jaf/b@0.1.0 with other content. A published version can't be changed: prepare a new one.",
  );
  expect(upload).not.toHaveBeenCalled();
});
