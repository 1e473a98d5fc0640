// Saves content as a file of the person.

export const download = (content: BlobPart, name: string, type = 'text/plain'): void => {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
};
