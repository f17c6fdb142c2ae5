/**
 * All packages of ours have one version (`fixed` in .changeset/config.json), and a package needs the others as they were when
 * it was released, or compatible. The sources say so more widely, since changesets makes a major release of whatever has a peer
 * that leaves its range.
 */
const needsItsOwnRelease = (ranges, version) =>
  ranges &&
  Object.fromEntries(
    Object.entries(ranges).map(([name, range]) => [name, name.startsWith("@jaf/") ? `^${version}` : range]),
  );

module.exports = {
  hooks: {
    beforePacking: (manifest) => ({
      ...manifest,
      peerDependencies: needsItsOwnRelease(manifest.peerDependencies, manifest.version),
    }),
  },
};
