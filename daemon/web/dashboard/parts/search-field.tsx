// The field that filters a listing. The key `/` focuses it.

interface SearchFieldProps {
  readonly placeholder: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

export const SearchField = ({ placeholder, value, onSearch }: SearchFieldProps) => (
  <input
    type="search"
    data-search
    aria-label="Search"
    placeholder={`${placeholder}  /`}
    value={value}
    onInput={(event) => onSearch(event.currentTarget.value)}
    // Escape leaves the field. Its text would vanish while the listing stays filtered.
    onKeyDown={(event) => {
      if (event.key === 'Escape') event.preventDefault();
    }}
  />
);
