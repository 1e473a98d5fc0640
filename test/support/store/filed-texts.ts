// Texts in a file, opened for reading as the store reads its records.
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { recordChecksum } from '../../../daemon/store/journal/sealed-line.ts';
import { openRecordFiles } from '../../../daemon/store/table/record-files.ts';
import { temporaryFolder } from './store-fixtures.ts';

export const placeOf = (text: string, offset: number, file: number) => ({
  file,
  offset,
  length: Buffer.byteLength(text),
  checksum: recordChecksum(text),
});

/** A file of these texts, opened for reading, with the place of each. */
export const filed = (texts: readonly string[]) => {
  const file = path.join(temporaryFolder(), 'records');
  const files = openRecordFiles();
  writeFileSync(file, '');
  const number = files.open(file);
  let offset = 0;
  const places = texts.map((text) => {
    appendFileSync(file, `${text}\n`);
    const place = placeOf(text, offset, number);
    offset += place.length + 1;
    return place;
  });
  return { file, files, places };
};
