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
  />
);
