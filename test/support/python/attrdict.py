# A stand-in for the package attrdict, which does not work with current Python: a dict whose keys are attributes, too.


class AttrDict(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value
