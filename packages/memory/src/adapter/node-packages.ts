import { pathToFileURL } from "node:url";
import { isMissingPackage, isUnresolved } from "../platform/import-failure.ts";
import { locatePackage } from "./package-location.ts";
import type { Lookup, Packages } from "./packages.ts";

async function load(name: string): Promise<Lookup> {
  try {
    return { module: await import(/* @vite-ignore */ /* webpackIgnore: true */ name) };
  } catch (thrown) {
    if (!isMissingPackage(name, thrown)) throw thrown;
  }
  const location = locatePackage(name);
  switch (location.status) {
    case "absent":
      return {};
    case "ignored":
      return { ignored: location.reason };
    case "found": {
      const url = pathToFileURL(location.file).href;
      return { module: await import(/* @vite-ignore */ /* webpackIgnore: true */ url) };
    }
  }
}

export const packages: Packages | undefined = { load, isUnresolved };
