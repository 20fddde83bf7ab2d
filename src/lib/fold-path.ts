/**
 * A path in the form in which a file system that ignores letter case, composition and invisible characters would
 * compare it. Two paths with the same form may be the same file there.
 */
export function foldPath(path: string): string {
  return path.normalize("NFC").replace(IGNORABLE, "").toLowerCase();
}

const IGNORABLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;
